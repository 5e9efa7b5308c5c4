"""The chart, and Helm to ask what it makes of values."""

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "deploy" / "helm" / "handoff"


def helm(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([ROOT / "scripts" / "helm", *arguments], check=False, capture_output=True, text=True)


def rendered(folder: Path, values: object) -> "subprocess.CompletedProcess[str]":
    file = folder / "values.json"
    file.write_text(json.dumps(values))
    return helm("template", "app", CHART, "--values", file)
