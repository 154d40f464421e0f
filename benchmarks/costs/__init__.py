"""What runs, checks, commands and batches cost."""
