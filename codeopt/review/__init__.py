"""Suggestions for a change: from a diff to the functions it touches, through the same judge, to a reporter."""
