import math

for _ in range(int(input())):
    print(math.isqrt(int(input())))
