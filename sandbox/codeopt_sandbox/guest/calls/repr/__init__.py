"""Values as text: for comparing (canonical), for calls that can be written again (source), for people (call_repr)."""
