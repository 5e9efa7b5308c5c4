"""
No page, message or program names a package that is somebody else's: `handoff` alone is one on PyPI and on npm, so that whoever
follows it installs a stranger's code.
"""

import re

import pytest
from pins import ROOT, tracked

# The whole name: neither ours, nor a file (handoff.json) or a folder of that name; but a sentence may end with it.
NOT_OURS = r"handoff(?![-_\w/]|\.\w)"
FOREIGN = re.compile(
    "|".join(
        (
            rf"\b(?:pip3?|pipx|uv|uvx|conda|poetry|npm|pnpm|yarn|bun)[ ]+(?:(?:pip|tool|global)[ ]+)?(?:install|i|add|run|exec|dlx|download)[ ][^`\n|;&]*?(?<![-\w/.]){NOT_OURS}",
            rf"\b(?:npx|uvx|bunx)[ ]+(?:-\S+[ ]+)*{NOT_OURS}",
            r"^\s*import\s+handoff(?![-_\w])",
            r"^\s*from\s+handoff(?:\.[\w.]+)?\s+import",
            rf"""\b(?:from|require\(|import\()\s*["']{NOT_OURS}["']""",
            rf"-m\s+{NOT_OURS}",
            # In lists of what a project needs.
            r"\bhandoff\[",
            r"""^\s*["']?handoff\s*(?:[=~<>!]=|[<>])""",
            r""""handoff":\s*"(?:[\^~<>=*\d]|npm:|latest)""",
            rf"pypi\.org/project/{NOT_OURS}|npmjs\.com/package/{NOT_OURS}",
        )
    ),
    re.MULTILINE,
)
# It tells what is gone.
HISTORY = ROOT / "CHANGELOG.md"


def test_nothing_names_a_foreign_package() -> None:
    found = []
    for path in tracked("."):
        if path in (HISTORY, ROOT / "supply" / "tests" / "test_names.py"):
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {each[0].strip()}" for each in FOREIGN.finditer(text)]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "pip install handoff",
        "pip install --upgrade flask handoff",
        "npm install handoff",
        "npx handoff run server.mjs",
        "pnpm dlx handoff run server.mjs",
        "uv tool install handoff",
        "uvx handoff run main:app",
        "import handoff",
        "from handoff import serve",
        'import { serve } from "handoff";',
        'require("handoff")',
        "python -m handoff main:app",
        "handoff[fast]",
        "It is installed by pip install handoff.",
        "import handoff.worker",
        "from handoff.worker import serve",
        "handoff==0.3.1",
        '  "handoff>=0.3",',
        '    "handoff": "^1.2.0",',
    ],
)
def test_finds_what_it_looks_for(line: str) -> None:
    assert FOREIGN.search(line)


@pytest.mark.parametrize(
    "line",
    [
        "pip install handoff-server && handoff run main:app",
        "npm install handoff-server",
        "npx handoff-server run server.mjs",
        "import handoff_worker",
        'import { serve } from "handoff-worker";',
        "python -m handoff_server",
        "handoff-worker[fast]",
        "pip install /opt/handoff/sdk-python",
        "pip install flask && edit handoff.json",
        '"bin": {"handoff": "handoff"}',
        "import handoff_worker.http",
    ],
)
def test_lets_ours_pass(line: str) -> None:
    assert not FOREIGN.search(line)
