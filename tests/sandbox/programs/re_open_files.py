# verdict = "RE"
# exit = 1
# limits.open_files = 64
# detail = "Too many open files"

files = [open("/dev/null") for _ in range(1000)]
