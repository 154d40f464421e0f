"""xmltodict: see the package's docstring."""

from benchmarks.speedups.slowed import Slowed

SLOWED = Slowed(
    "xmltodict",
    kind="a list made anew for each item",
    tests="tests",
    script="""\
import xmltodict

rows = "".join(f"<row id='{k}'><n>{k}</n></row>" for k in range(9000))
found = xmltodict.parse(f"<all>{rows}</all>")
print(len(found["all"]["row"]), found["all"]["row"][-1])
""",
    file="xmltodict.py",
    qualname="_DictSAXHandler.push_data",
    slow=(
        (
            "                value.append(data)\n            else:\n                item[key] = [value, data]\n",
            "                item[key] = [*value, data]\n"
            "            else:\n                item[key] = [value, data]\n",
        ),
    ),
    wrong=(
        (
            "            if isinstance(value, list):\n                value.append(data)\n",
            "            if value:\n                value.append(data)\n",
        ),
    ),
)
