# verdict = "RE"
# exit = 1

print(6)
raise ValueError("MemoryError: not really")
