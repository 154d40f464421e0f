# verdict = "AC"

from multiprocessing.pool import ThreadPool

with ThreadPool(3) as pool:
    print(sum(pool.map(int, input().split())))
