def intranges_contain(int_: int, ranges: tuple[int, ...]) -> bool:
    """Determine if `int_` falls into one of the ranges in `ranges`.

    They are sorted, do not overlap, and leave out their last number.
    """
    position = bisect.bisect_left(ranges, _encode_range(int_, 0))
    # The range before that place begins earlier: does it reach far enough?
    if position > 0:
        start, end = _decode_range(ranges[position - 1])
        if start <= int_ < end:
            return True
    # Whatever stands at that place can only begin exactly here.
    if position < len(ranges):
        start, _ = _decode_range(ranges[position])
        return start == int_
    return False
