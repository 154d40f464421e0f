"""Contract of a program's inputs: how they are laid out, and relations between their parts."""
