"""What all known inputs keep, and what goes beyond it."""
