"""Flags about when a draft is believed to be better."""

from __future__ import annotations

import argparse

from codeopt.commands._sandbox import count, positive


def add_judging_arguments(group: argparse._ArgumentGroup) -> None:
    """Least gain, clock, pairs, profiler."""
    group.add_argument("--min-gain", type=positive, metavar="SHARE", help="least gain worth having (0.05)")
    group.add_argument(
        "--clock", choices=["auto", "cpu", "wall"], default="auto", help="auto: CPU time if it computes (%(default)s)"
    )
    group.add_argument(
        "--max-pairs", type=count, default=120, metavar="N", help="timed pairs per comparison (%(default)d)"
    )
    group.add_argument("--no-profile", action="store_true", help="do without the profiler")
