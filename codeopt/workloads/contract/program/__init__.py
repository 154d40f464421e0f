"""What all known inputs of a program keep: how they are laid out, and relations between their parts."""
