"""Profiles as weighted call stacks: read from the files of other profilers, written for other viewers."""
