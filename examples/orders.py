"""A shop's orders against its bank's payments: slow where the shop does well."""


def unpaid(orders: list[int], payments: list[int]) -> list[int]:
    """The orders without a payment, in their order.

    >>> unpaid([101, 102, 103], [103, 101])
    [102]
    """
    return [order for order in orders if order not in payments]
