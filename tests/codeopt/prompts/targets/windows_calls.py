CALLS = [(([n * 7 % 11 for n in range(count)], 1 + count % 4), {}) for count in range(12)]
CALLS += [(([5, 5, 5], 3), {}), ((iter([4, 3, 2]), 2), {}), (([1], 0), {})]
BIG = [(([n * 7919 % 10007 - 5000 for n in range(6000)], 150), {}), (([n % 50 for n in range(5000)], 200), {})]
