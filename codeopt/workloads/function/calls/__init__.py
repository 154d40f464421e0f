"""Calls as text and as values: read, written, changed, shrunk, and made up from others or from type hints."""
