"""Calls as text and as values: reading, writing, mutating, shrinking, and generating from other calls or type hints."""
