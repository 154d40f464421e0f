"""Pages of one run, of its drafts and of a profile."""
