"""Pid 1 of the sandbox: serves requests, keeps time, counts, kills and cleans up; `server.main` is its program."""
