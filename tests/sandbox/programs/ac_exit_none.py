# verdict = "AC"
# exit = 0

print(sum(map(int, input().split())))
raise SystemExit
