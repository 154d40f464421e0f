def hsv_to_rgb(h, s, v):
    """Red, green and blue from a hue, a saturation and a brightness.

    All of them go from nought to one; one full turn of hues has six sectors.
    """
    if s == 0.0:
        return v, v, v  # grey, whatever hue was asked for
    sector = int(h * 6.0)
    progress = (h * 6.0) - sector
    # Within any sector one channel is strongest, one weakest, one in between.
    weakest = v * (1.0 - s)
    falling = v * (1.0 - s * progress)
    rising = v * (1.0 - s * (1.0 - progress))
    sector = sector % 6
    if sector == 0:
        return v, rising, weakest
    if sector == 1:
        return falling, v, weakest
    if sector == 2:
        return weakest, v, rising
    if sector == 3:
        return weakest, falling, v
    if sector == 4:
        return rising, weakest, v
    return v, weakest, falling
