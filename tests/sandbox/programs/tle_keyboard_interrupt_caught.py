# verdict = "TLE"
# stop = "time"
# limits.seconds = 0.3

while True:
    try:
        while True:
            pass
    except BaseException:
        pass
