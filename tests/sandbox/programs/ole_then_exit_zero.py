# verdict = "OLE"
# stop = "output"
# limits.output_mib = 0.5

print("6 " * 400_000)
