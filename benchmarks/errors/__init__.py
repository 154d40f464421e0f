"""How often a verdict is wrong, and how much of what is right is rejected."""
