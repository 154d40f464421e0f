"""One program under line events or Scalene: where its time and its memory go, line by line."""
