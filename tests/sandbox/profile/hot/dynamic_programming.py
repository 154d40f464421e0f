def longest(numbers):
    best = [1] * len(numbers)
    for index in range(len(numbers)):
        before = [best[other] for other in range(index) if numbers[other] < numbers[index]]  # HOT
        if before:
            best[index] = max(before) + 1
    return max(best)


print(longest([number * 7919 % 2003 for number in range(1800)]))
