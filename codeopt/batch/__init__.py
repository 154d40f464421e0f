"""Batches: a whole problem set through one proposer, into one SQLite database that a reviewer can query."""
