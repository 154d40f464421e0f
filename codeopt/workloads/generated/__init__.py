"""Calls made from known ones: one generator for functions and for the inputs of programs."""
