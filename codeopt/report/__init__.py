"""The result of a run: as a value, as JSON, in words and as pages."""
