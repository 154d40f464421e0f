def unquote_unreserved(uri):
    """Un-escape any percent-escape sequences in a URI that are unreserved
    characters. This leaves all reserved, illegal and non-ASCII bytes encoded.

    :rtype: str
    """
    parts = uri.split("%")
    # Nothing before the first percent sign is escaped.
    for position in range(1, len(parts)):
        part = parts[position]
        digits = part[:2]
        character = ""
        if len(digits) == 2 and digits.isalnum():
            try:
                character = chr(int(digits, 16))
            except ValueError:
                raise InvalidURL(f"Invalid percent-escape sequence: '{digits}'")
        # Any other keeps its escape, which would mean something else without.
        parts[position] = character + part[2:] if character in UNRESERVED_SET else f"%{part}"
    return "".join(parts)
