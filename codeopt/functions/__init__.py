"""One function of a real code base as what is to be improved: `path.py::function`, `path.py::Class.method`."""
