from collections import deque


def lowest(values, size):
    window = deque()
    for at, value in enumerate(values):
        while window and window[-1][1] >= value:
            window.pop()
        window.append((at, value))
        if window[0][0] <= at - size:
            window.popleft()
        if at + 1 >= size:
            yield window[0][1]
