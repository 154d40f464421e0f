"""The choice of the calls of a function that are timed, their sizes, and their profile."""
