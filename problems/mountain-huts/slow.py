# Count the pairs of huts that are at most d metres apart in altitude.
n, d = map(int, input().split())
altitudes = list(map(int, input().split()))

pairs = 0
for i in range(n):
    for j in range(i + 1, n):
        difference = altitudes[i] - altitudes[j]
        if difference < 0:
            difference = -difference

        if difference <= d:
            pairs += 1

print(pairs)
