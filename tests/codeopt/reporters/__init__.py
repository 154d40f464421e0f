"""Tests of the reporters."""
