"""A hook of mkdocs: the site has schema.json, the JSON Schema of what each command prints with --json."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def schema() -> dict[str, Any]:
    """`$defs` has all objects, `commands` the name of the one that a command prints."""
    from pydantic.json_schema import models_json_schema

    from codeopt.report.answers import PRINTED

    for printed in PRINTED.values():  # here alone: to read their texts takes a command longer than all that it prints
        printed.model_config["use_attribute_docstrings"] = True
        printed.model_rebuild(force=True)
    names = {name: {"$ref": f"#/$defs/{printed.__name__}"} for name, printed in PRINTED.items()}
    _, whole = models_json_schema([(printed, "serialization") for printed in PRINTED.values()])
    return {"commands": names, **whole}


def on_post_build(config: Any) -> None:
    """Write it; mkdocs runs without an installed codeopt."""
    sys.path[:0] = [str(ROOT), str(ROOT / "sandbox")]
    Path(config["site_dir"], "schema.json").write_text(json.dumps(schema(), indent=1) + "\n", "utf-8")
