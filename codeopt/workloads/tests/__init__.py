"""The tests of a project: which files hold them, and which of these are nearest to a change."""
