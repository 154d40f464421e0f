import sys
import threading


def search(values, wanted):
    found = 0
    for number in wanted:
        if number in values:  # HOT
            found += 1
    return found


def main():
    values = list(range(4000))
    print(search(values, range(-3000, 0)))


sys.setrecursionlimit(10**6)
threading.stack_size(2**26)
thread = threading.Thread(target=main)
thread.start()
thread.join()
