# verdict = "WA"
# detail = "got the end of the output"

pass
