"""Calls as text, none of which is made: in words, and those of a calls file. Part of the harness (caller.py)."""


def show_calls(caller):
    """Each call in words."""
    for _, code in caller.codes:
        text = call_in_words(*caller.fresh(code))
        caller.channel.send(b"T", "0.0")
        caller.channel.send(b"O", text)


def list_calls(caller):
    """The calls of the calls file: as expressions of plain values, else by their place in it."""
    seen = set()
    for name in ("CALLS", "BIG"):
        for at, entry in enumerate(caller.names.user_namespace().get(name, ())):
            text = call_text(*as_call(entry))
            shown = text or Shower(SPEC["module"]).show_arguments(*as_call(entry))
            certain = text or not any(mark in shown for mark in ("<code>", "<iterator>", NOT_COMPARABLE))
            if not certain or (name, shown) not in seen:  # never the same arguments twice in one process
                caller.channel.send(b"O", text or f"{name}[{at}]")
            seen.add((name, shown))
        if name == "CALLS":
            caller.channel.send(b"O", "")
    caller.channel.send(b"F")


def call_text(args, kwargs):
    """`f(...)`, or None when an argument is of no plain type or is shared with another."""
    parts = [express(value) or express_name(value) for value in args]
    pairs = [(name, express(value) or express_name(value)) for name, value in kwargs.items()]
    if None in parts or any(text is None or not name.isidentifier() for name, text in pairs):
        return None
    return "f(" + ", ".join(parts + [name + "=" + text for name, text in pairs]) + ")"
