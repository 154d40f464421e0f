def ranking(teams):
    rows = []
    for name, results in teams.items():
        total = sum(WEIGHTS[place] * points for place, points in results)
        rows.append((spread(results), -total, name))
    return [name for _, _, name in sorted(rows)]
