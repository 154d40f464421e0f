"""Functions of attrs: see the package's docstring."""

from benchmarks.errors.functions import Case

CASES = [
    Case(
        "attr._make:evolve",
        slow="""
def evolve(*args, **changes):
    try:
        (inst,) = args
    except ValueError:
        raise TypeError(f"evolve() takes 1 positional argument, but {len(args)} were given") from None
    cls = inst.__class__
    for a in fields(cls):
        for name in [each.alias for each in fields(cls) if each.init]:
            if name == a.alias and name not in changes:
                changes = {**changes, name: getattr(inst, a.name)}
    return cls(**changes)
""",
        wrong="""
def evolve(*args, **changes):
    try:
        (inst,) = args
    except ValueError:
        raise TypeError(f"evolve() takes 1 positional argument, but {len(args)} were given") from None
    import copy

    new = copy.copy(inst)
    for name, value in changes.items():
        new.__dict__[name] = value
    return new
""",
        calls="""
import fractions, attr
C = attr.make_class('C', {'a': attr.ib(converter=int), 'b': attr.ib(default=2), 'c': attr.ib(init=False, default=3)})
C.__module__ = 'attr'; attr.C = C
D = attr.make_class('D', [f'field{n}' for n in range(60)])
D.__module__ = 'attr'; attr.D = D
CALLS = [((C(n),), change) for n in range(4) for change in ({}, {'a': n + 1}, {'b': []}, {'a': str(n)}, {'x': 1})]
CALLS += [((), {}), ((1,), {}), ((C(1), C(2)), {})]
BIG = [((D(*range(n, n + 60)),), {'field7': n}) for n in range(20)]
""",
    ),
]
