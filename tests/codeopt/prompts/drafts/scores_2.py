def ranking(teams):
    rows = []
    for name, results in list(teams.items()):
        total = sum(weight(place) * points for place, points in list(results))
        rows.append((spread(results), -total, name))
    rows.sort()
    return [name for _, _, name in rows]
