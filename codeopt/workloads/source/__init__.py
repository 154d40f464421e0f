"""The text of functions and modules: found, cut out, put back."""
