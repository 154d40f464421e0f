"""Inputs that nobody has seen: known ones changed, with the original program as the oracle."""

from codeopt.workloads.program.fuzzing._inputs import LONG_ENOUGH, MutatedInput, mutated_inputs
from codeopt.workloads.program.fuzzing._lengths import shorter, shrunk
from codeopt.workloads.program.fuzzing._slots import (
    MutatedCase,
    boundary_cases,
    break_relations,
    largest_text,
    mutate_cases,
    other_usage,
    shorter_cases,
)

__all__ = [
    "LONG_ENOUGH",
    "MutatedCase",
    "MutatedInput",
    "boundary_cases",
    "break_relations",
    "largest_text",
    "mutate_cases",
    "mutated_inputs",
    "other_usage",
    "shorter",
    "shorter_cases",
    "shrunk",
]
