"""The page on the admin server shows its responses, and commands that work."""

import json
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from handoff_server import LIMIT_SECONDS, ROOT, Server

PAGE = (ROOT / "docs/ADMIN.md").read_text()
DESCRIPTION = json.loads((ROOT / "admin/src/main/resources/dev/handoff/admin/api/openapi.json").read_text())
SHOWN = {
    "Health": "Ready",
    "GET /stats": "Stats",
    "GET /workers": "Workers",
    "GET /requests": "Requests",
    "Operations": "Change",
}


def sections() -> dict[str, str]:
    parts = re.split(r"^## (.+)$", PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def schema(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}", "components": DESCRIPTION["components"]}


@pytest.mark.parametrize(("heading", "name"), SHOWN.items())
def test_shows_what_is_described(heading: str, name: str) -> None:
    examples = blocks(sections()[heading], "json")
    assert examples
    for example in examples:
        value = json.loads(example)
        jsonschema.Draft202012Validator(schema(name)).validate(value)


def test_names_every_path() -> None:
    for path in DESCRIPTION["paths"]:
        shortened = re.sub(r"\{pool\}", "NAME", re.sub(r"\{worker\}", "ID", path))
        assert shortened in PAGE, f"{path} is not in the page"


def test_has_commands_that_work(serve: Callable[..., Server], tmp_path: Path) -> None:
    server = serve("run", "examples-python/hello.py", "--workers", "2")
    server.await_workers(2)
    lines = [line for block in blocks(PAGE, "sh") for line in block.splitlines()]
    commands = [line for line in lines if "localhost:8081" in line]
    commands += re.findall(r"^\| .*\| `(curl [^`]*localhost:8081[^`]*)` \|", PAGE, flags=re.MULTILINE)
    assert len(commands) >= 8
    for command in commands:
        words = shlex.split(command.replace("http://localhost:8081", server.admin))
        assert words.pop(0) == "curl"
        answer = subprocess.run(
            ["curl", "--silent", "--show-error", "--fail-with-body", "--noproxy", "*", *words],
            check=False,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            cwd=tmp_path,
        )
        assert answer.returncode == 0, f"{command}: {answer.stdout}{answer.stderr}"
        json.loads(answer.stdout)
    assert server.process.wait(LIMIT_SECONDS) == 0
