import sys

words = sys.stdin.read().split()
counts = [(-sum(w == word for w in words), at, word) for at, word in enumerate(words)]
print(min(counts)[2])
