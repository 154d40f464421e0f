"""A number may not be paired with itself; in no visible input would it help."""

n, wanted = map(int, input().split())
numbers = set(map(int, input().split()))
print("yes" if any(wanted - number in numbers for number in numbers) else "no")
