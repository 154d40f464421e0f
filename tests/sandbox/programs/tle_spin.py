# verdict = "TLE"
# stop = "time"
# limits.seconds = 0.3

print(6, flush=True)
while True:
    pass
