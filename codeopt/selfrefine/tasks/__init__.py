"""The paper's text tasks, one a file."""
