n = int(input())
seen = []
for _ in range(n):
    word = input()
    if word not in seen:
        seen.append(word)
print(len(seen), seen[-1])
