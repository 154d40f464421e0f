"""Which calls of a function are timed, at which sizes, and their profile."""
