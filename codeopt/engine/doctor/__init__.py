"""Examination of this machine: its share of false alarms, the sandbox's promises and costs, and what is missing."""

from __future__ import annotations

from codeopt.engine.doctor.exam_row import ExamRow, Health
from codeopt.engine.doctor.false_alarms import FalseAlarms, false_alarms
from codeopt.engine.doctor.machine import examine_machine
from codeopt.engine.doctor.promises import backends, promises

__all__ = ["FalseAlarms", "ExamRow", "Health", "backends", "examine_machine", "false_alarms", "promises"]
