"""The program that asks a user's own checker about answers."""
