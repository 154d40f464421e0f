"""Calls seen while a user's own command runs."""
