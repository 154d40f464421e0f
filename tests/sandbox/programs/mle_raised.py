# verdict = "MLE"
# exit = 1

raise MemoryError
