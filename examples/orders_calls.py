"""Calls of `orders.unpaid` as they are on a good day: 3,000 orders, of which all but ten are paid."""

ORDERS = list(range(100_000, 103_000))
PAYMENTS = [order for order in reversed(ORDERS) if order % 300]

CALLS = [(([], []), {}), (([1, 2], [2]), {}), ((ORDERS[:50], PAYMENTS[:50]), {})]
BIG = [((ORDERS, PAYMENTS), {})]
