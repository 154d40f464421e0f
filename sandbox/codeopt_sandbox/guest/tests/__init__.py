"""Existing tests and doctests: run against the module under test, with the calls that they make written down."""
