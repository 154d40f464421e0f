import copy


def explore(board, steps):
    seen = 0
    for step in range(steps):
        child = copy.deepcopy(board)  # HOT
        child[step % 10][step % 7] = step
        seen += child[0][0]
    return seen


print(explore([[0] * 10 for _ in range(10)], 1500))
