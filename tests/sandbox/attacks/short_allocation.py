# what = "Uses more memory than allowed for a moment, and ends well."
# verdict = ["MLE"]

data = b"x" * (300 << 20)
del data

print(sum(map(int, input().split())))
