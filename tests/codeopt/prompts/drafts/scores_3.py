def ranking(teams):
    rows = []
    for name, results in teams.items():
        points = sorted([points for _, points in results])
        centre = points[len(points) // 2]
        total = sum([WEIGHTS.get(place, 1) * points for place, points in results])
        rows.append((sum([abs(each - centre) for each in points]) / 2, -total, name))
    rows.sort()
    return [name for _, _, name in rows]
