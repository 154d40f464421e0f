def drain(queue):
    total = 0
    while queue:
        item = queue.pop(0)  # HOT
        total += item
    return total


print(drain(list(range(40000))))
