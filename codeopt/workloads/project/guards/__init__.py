"""Guards of the commands of projects, one check a file."""
