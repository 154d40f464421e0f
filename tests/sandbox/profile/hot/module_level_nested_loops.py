size = 90
left = [[row * column % 7 for column in range(size)] for row in range(size)]
right = [[row + column for column in range(size)] for row in range(size)]
product = [[0] * size for _ in range(size)]
for row in range(size):
    for column in range(size):
        for k in range(size):
            product[row][column] += sum(left[row][k : k + 1]) * sum(right[k][column : column + 1])  # HOT
print(product[3][4])
