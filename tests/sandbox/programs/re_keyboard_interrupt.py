# verdict = "RE"
# signal = 2

print(6)
raise KeyboardInterrupt
