"""Findings: what was judged of a function, kept with its evidence, for every door that is asked again."""
