"""Kinds of targets that tests bring along."""
