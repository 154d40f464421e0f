n, wanted = map(int, input().split())
numbers = list(map(int, input().split()))
found = any(numbers[i] + numbers[j] == wanted for i in range(n) for j in range(i + 1, n))
print("yes" if found else "no")
