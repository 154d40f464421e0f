text = input()
best = 0
for i in range(len(text)):
    j = i
    while j < len(text) and text[j] == text[i]:
        j += 1
    best = max(best, j - i)
print(best, sum(text[i] == text[j] for i in range(len(text)) for j in range(i)))
