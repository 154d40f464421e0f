"""The commands, one a file: the first line of its docstring is its help, `add_arguments` its flags, `run` its work."""
