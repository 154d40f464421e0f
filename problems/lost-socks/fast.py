import sys
from collections import Counter


def main():
    socks = Counter(sys.stdin.read().split()[1:])
    lost = [f"{sock} {count}" for sock, count in socks.items() if count % 2]
    print(len(lost), *lost, sep="\n")


main()
