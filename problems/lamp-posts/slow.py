walks = int(input())

for walk in range(walks):
    a, b, first, last = [int(word) for word in input().split()]

    total = 0
    for house in range(first, last + 1):
        if house % a == 0 or house % b == 0:
            total = total + house

    print(total)
