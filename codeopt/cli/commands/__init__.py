"""The commands, one a file: its docstring is its help, `ORDER` its place, `add_arguments` its flags, `run` its work."""
