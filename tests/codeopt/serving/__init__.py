"""Servers for agents and editors, spoken to by real clients."""
