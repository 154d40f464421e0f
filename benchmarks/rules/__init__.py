"""Whether the built-in rules change anything but the time."""
