# verdict = "RE"
# exit = 1
# limits.file_mib = 1
# detail = "OSError"

import tempfile

with tempfile.NamedTemporaryFile("wb") as file:
    for _ in range(64):
        file.write(b"x" * (1 << 20))
print(6)
