def measure_table(rows: cabc.Iterable[tuple[str, str]]) -> tuple[int, ...]:
    """How wide each column has to be for its widest cell, from left to right."""
    widest_cells: dict[int, int] = {}

    for row in rows:
        for column, cell in enumerate(row):
            # Escape codes take no room on the screen.
            widest_cells[column] = max(widest_cells.get(column, 0), term_len(cell))

    return tuple(width for column, width in sorted(widest_cells.items()))
