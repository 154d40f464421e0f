"""A library with some 300 tests that packs records by a dependency in C: judged by the functions that differ and by the
tests."""

from benchmarks.errors.changes import ChangedProject, Replacement

PACKED = '''\
"""Records as bytes, each text once."""

import msgpack


def pack_records(records: list[dict[str, str]]) -> bytes:
    """Pack records: a table of their texts, and each record by places in it. The first text has place 0."""
    table: list[str] = []
    rows = []
    for record in records:
        row = {}
        for key, text in record.items():
            if text not in table:
                table.append(text)
            row[key] = table.index(text)
        rows.append(row)
    return msgpack.packb([table, rows])


def unpack_records(data: bytes) -> list[dict[str, str]]:
    """The records of what `pack_records` made."""
    table, rows = msgpack.unpackb(data)
    return [{key: table[place] for key, place in row.items()} for row in rows]
'''
TEST = """\
import msgpack
import pytest

from packed import pack_records, unpack_records


@pytest.mark.parametrize("count", range(150))
def test_what_is_packed_is_unpacked(count):
    records = [{"name": f"n{n % 7}", "town": f"t{n * n % 11}"} for n in range(count)]
    assert unpack_records(pack_records(records)) == records


@pytest.mark.parametrize("count", range(1, 151))
def test_each_text_is_there_once(count):
    table, rows = msgpack.unpackb(pack_records([{"name": f"n{n % 13}"} for n in range(count)]))
    assert table == [f"n{n}" for n in range(min(count, 13))]
    assert len(rows) == count


def test_many():
    records = [{"name": f"n{n % 900}", "town": f"t{n % 400}"} for n in range(3000)]
    assert unpack_records(pack_records(records)) == records
"""
FILE = "packed/__init__.py"
SLOW = PACKED[PACKED.index("    table: list") : PACKED.index("    return msgpack.packb")]
RIGHT = """\
    table: dict[str, int] = {}
    rows = [{key: table.setdefault(text, len(table)) for key, text in record.items()} for record in records]
"""
WRONG = """\
    table = {text: place for place, text in enumerate(sorted({text for each in records for text in each.values()}))}
    rows = [{key: table[text] for key, text in record.items()} for record in records]
"""
TO_LIST = Replacement(FILE, "packb([table, rows])", "packb([list(table), rows])")
PROJECT = ChangedProject(
    "",
    {FILE: PACKED, "tests/test_packed.py": TEST, "pyproject.toml": "[project]\nname = 'packed'\nversion = '1'\n"},
    right=(Replacement(FILE, SLOW, RIGHT), TO_LIST),
    wrong=(Replacement(FILE, SLOW, WRONG), TO_LIST),
    packages=("msgpack", "pytest"),
)
