n, m, q = map(int, input().split())

# load[a][b]: the heaviest load that gets from a to b
load = []
for a in range(n):
    load.append([0] * n)

for road in range(m):
    a, b, t = map(int, input().split())
    a -= 1
    b -= 1
    load[a][b] = max(load[a][b], t)
    load[b][a] = max(load[b][a], t)

for via in range(n):
    for a in range(n):
        for b in range(n):
            load[a][b] = max(load[a][b], min(load[a][via], load[via][b]))

for question in range(q):
    a, b = map(int, input().split())
    print(load[a - 1][b - 1])
