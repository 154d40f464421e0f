"""tinydb: see the package's docstring."""

from benchmarks.speedups.slowed import Slowed

SLOWED = Slowed(
    "tinydb",
    kind="deep copies on each call",
    tests="tests",
    script="""\
from tinydb import TinyDB, where
from tinydb.storages import MemoryStorage

db = TinyDB(storage=MemoryStorage)
db.insert_multiple({"n": k, "name": f"item{k}", "tags": ["a", "b", {"k": k}]} for k in range(1000))
found = 0
for k in range(60):
    rows = db.search(where("n") > k * 10)
    found += sum(row["tags"][2]["k"] for row in rows) + rows[-1].doc_id
print(found)
""",
    file="tinydb/table.py",
    qualname="Table.search",
    slow=(
        (
            "from .queries import QueryLike\n",
            "from copy import deepcopy\n\nfrom .queries import QueryLike\n",
        ),
        (
            "        docs = [\n            self.document_class(doc, self.document_id_class(doc_id))\n",
            "        docs = [\n            self.document_class(deepcopy(doc), self.document_id_class(doc_id))\n",
        ),
    ),
    wrong=(
        (
            "        docs = [\n            self.document_class(doc, self.document_id_class(doc_id))\n",
            "        docs = [\n            self.document_class(doc, doc_id)\n",
        ),
    ),
)
