size = 90
left = [[row * column % 7 for column in range(size)] for row in range(size)]
right = [[row + column for column in range(size)] for row in range(size)]
product = [[0] * size for _ in range(size)]
for row in range(size):
    for column in range(size):
        for k in range(size):
            product[row][column] += left[row][k] * right[k][column]  # HOT
print(product[3][4])
