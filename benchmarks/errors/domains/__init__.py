"""Drafts at the edge of what known values show: right ones whose domain is bounded, and wrong ones that err just beyond
known values of an open domain."""
