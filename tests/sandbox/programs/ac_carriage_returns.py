# verdict = "AC"
# stdin = "1\r\n2\r\n"
# expected = "'1\\r\\n' '2\\r\\n'"

import sys

print(*map(repr, sys.stdin))
