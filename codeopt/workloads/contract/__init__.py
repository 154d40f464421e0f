"""Contracts: properties that all known inputs keep, and tests of what goes beyond them."""
