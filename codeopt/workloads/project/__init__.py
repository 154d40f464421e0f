"""A whole project, judged by a command of its user's: `codeopt improve . --run "python bench.py"`."""
