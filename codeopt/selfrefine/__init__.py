"""The text tasks of the Self-Refine paper: an outside package that is shipped with codeopt.

It has a kind of task, the tasks themselves, the writer and the scorer of texts, the layout of their sets, the report of
a batch, and the command. Entry points register all of them.
"""

from codeopt.selfrefine.text_task import Aspect, TextCheck, TextTask

__all__ = ["Aspect", "TextCheck", "TextTask"]
