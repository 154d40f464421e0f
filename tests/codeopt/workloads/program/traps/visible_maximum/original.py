n = int(input())
print(sum(all(p % d for d in range(2, int(p**0.5) + 1)) for p in range(2, n + 1)))
