# verdict = "AC"

print(sum(map(int, input().split())))
