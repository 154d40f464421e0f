queue = []
for number in range(22000):
    queue.insert(0, number)  # HOT
    if number % 1000 == 0:
        print(len(queue))
