words = [f"word{number % 977}" * 3 for number in range(60000)]
size = len(words)
words.sort(key=lambda word: "".join(sorted(word * 2)))  # HOT
print(size, words[0])
