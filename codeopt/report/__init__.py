"""What a run has come to: as a value, as JSON, in words and as pages."""
