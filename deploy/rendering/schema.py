"""
What of values.schema.json is Handoff's own: pools, routes and settings are what docs/handoff.schema.json says of the configuration file,
less what the chart sets itself. `scripts/render-chart` writes it, and a test holds it to that.
"""

import json
import re
from pathlib import Path
from typing import Any

DEPLOY = Path(__file__).resolve().parents[1]
VALUES = DEPLOY / "helm" / "handoff" / "values.schema.json"
CONFIGURATION = DEPLOY.parent / "docs" / "handoff.schema.json"

OF_THE_CHART = {
    "$schema": "it is for editors of a file",
    "pools": "they stand beside it",
    "routes": "they stand beside it",
    "host": "it is `address`",
    "port": "probes and the Service ask on it",
    "listen": "probes and the Service ask on the port",
    "adminHost": "it is `address`",
    "adminPort": "probes ask on it",
    "noAdmin": "probes ask it",
    "adminTokenFile": "it is made of `adminToken`",
    "socket": "workers look for it there",
    "spoolDirectory": "it is made of `spool`",
    "drainTimeout": "it is `drainSeconds`, of which the grace period is made",
    "user": "a pod has one",
}
"""Keys of the file that `settings` may not have, and why."""


LOOKAHEAD = re.compile(r"\(\?!((?:\[[^]]*\]|[^()])*)\)")


def without_lookaheads(part: Any) -> Any:
    """The same rules in patterns that Go understands, and so Helm: it has no (?!…)."""
    if isinstance(part, list):
        return [without_lookaheads(each) for each in part]
    if not isinstance(part, dict):
        return part
    changed = {key: without_lookaheads(value) for key, value in part.items()}
    refused = LOOKAHEAD.findall(part["pattern"]) if isinstance(part.get("pattern"), str) else []
    if refused:
        changed["pattern"] = LOOKAHEAD.sub("", part["pattern"])
        changed["not"] = {"anyOf": [{"pattern": f"^{each}"} for each in refused]}
    return changed


def values_schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(VALUES.read_text())
    file = without_lookaheads(json.loads(CONFIGURATION.read_text()))
    keys = file["properties"]
    schema["properties"]["pools"] = {**keys["pools"], "minProperties": 0}
    schema["properties"]["routes"] = keys["routes"]
    schema["properties"]["settings"]["properties"] = {
        key: value for key, value in keys.items() if key not in OF_THE_CHART
    }
    schema["$defs"] = {**schema["$defs"], **file["$defs"]}
    return schema


def written(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    VALUES.write_text(written(values_schema()))
