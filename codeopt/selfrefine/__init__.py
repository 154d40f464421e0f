"""The text tasks of the Self-Refine paper: an outside package that is shipped with codeopt."""
