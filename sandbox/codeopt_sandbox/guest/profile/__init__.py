"""One program under line_profiler or Scalene: where its time and its memory go, line by line."""
