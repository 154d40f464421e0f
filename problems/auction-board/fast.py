import sys
from heapq import heapify, heappushpop


def main():
    n, k, *bids = map(int, sys.stdin.buffer.read().split())
    winning = bids[:k]
    heapify(winning)
    board = ["-"] * (k - 1) + [str(winning[0])]
    for bid in bids[k:]:
        heappushpop(winning, bid)
        board.append(str(winning[0]))
    print("\n".join(board))


main()
