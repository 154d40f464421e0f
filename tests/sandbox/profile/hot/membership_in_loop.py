values = list(range(4000))
count = 0
for number in range(3000):
    shifted = number - 3000
    if shifted in values:  # HOT
        count += 1
print(count)
