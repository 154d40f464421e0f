"""Guards of programs: checks of a gain that was measured by whole runs, one check a file."""
