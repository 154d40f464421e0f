def collatz(limit):
    longest = 0
    for start in range(1, limit):
        steps = 0
        number = start
        while number != 1:
            number = number // 2 if number % 2 == 0 else (3 * number + 1 if number % 2 == 1 else number)  # HOT
            steps += 1
        longest = max(longest, steps)
    return longest


print(collatz(8000))
