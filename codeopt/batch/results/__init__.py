"""The results of a batch: the field's metrics with their intervals, as a table, JSON, CSV and one page."""
