"""The text tasks of the Self-Refine paper: an outside package that is shipped with codeopt.

It has a kind of task, the tasks themselves, who writes and what judges the texts, the layout of their sets, the report
of a batch, and the command; all of it is found by entry points.
"""

from codeopt.selfrefine.text_task import Aspect, TextCheck, TextTask

__all__ = ["Aspect", "TextCheck", "TextTask"]
