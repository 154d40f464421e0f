"""Guards of functions: checks of a gain that was measured by their calls, one check a file."""
