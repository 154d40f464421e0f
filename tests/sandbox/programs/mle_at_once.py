# verdict = "MLE"
# limits.memory_mib = 96

print(len(bytearray(1 << 30)))
