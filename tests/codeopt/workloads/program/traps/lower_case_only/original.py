words = input().split()
print(sum(a < b for i, a in enumerate(words) for b in words[i + 1 :]))
