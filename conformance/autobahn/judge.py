"""Runs the Autobahn test suite against the raw worker in echo.py, and fails unless every case is well done.

A case is well done if the suite calls it OK or INFORMATIONAL, and the end of its connection as well. NON-STRICT is not.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "monitoring"))

from live import process
from live.ports import free_ports

RUN_SUITE = "import site, sys; site.addsitedir(sys.argv.pop(1)); from autobahntestsuite import wstest; wstest.run()"
WELL_DONE = {"OK", "INFORMATIONAL"}
LIMIT_SECONDS = 3600


def results(old_python: str, site: Path, cases: list[str], port: int, folder: Path) -> dict[str, Any]:
    """What the suite says of each case."""
    specification = folder / "specification.json"
    specification.write_text(
        json.dumps(
            {
                "outdir": str(folder),
                "servers": [{"agent": "handoff", "url": f"ws://127.0.0.1:{port}", "options": {"version": 18}}],
                "cases": cases,
                "exclude-cases": [],
                "exclude-agent-cases": {},
            }
        )
    )
    suite = [old_python, "-c", RUN_SUITE, str(site.absolute()), "--mode", "fuzzingclient", "--spec", str(specification)]
    with (folder / "suite.log").open("w") as log:
        subprocess.run(suite, stdout=log, stderr=log, check=True, timeout=LIMIT_SECONDS)
    found: dict[str, Any] = json.loads((folder / "index.json").read_text())["handoff"]
    return found


def judge(found: dict[str, Any], seconds: float) -> int:
    behaviours = Counter(result["behavior"] for result in found.values())
    bad = [
        f"{case}: {result['behavior']}, its end {result['behaviorClose']}"
        for case, result in found.items()
        if not {result["behavior"], result["behaviorClose"]} <= WELL_DONE
    ]
    counted = ", ".join(f"{count} {behaviour}" for behaviour, count in sorted(behaviours.items()))
    print(f"autobahn: {len(found)} cases in {seconds:.0f} s: {counted}")
    for line in bad:
        print(f"  {line}")
    return 1 if bad or not found else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", default=["*"], help="as the suite names them: 1.* 7.3.1")
    parser.add_argument("--python", required=True, help="a CPython 2.7")
    parser.add_argument("--site", required=True, type=Path, help="the folder that has the suite")
    options = parser.parse_args()
    folder = ROOT / "target" / "autobahn" / "results"
    shutil.rmtree(folder, ignore_errors=True)  # so that no verdict of an earlier run is taken for one of this
    folder.mkdir(parents=True)
    port, admin_port = free_ports(2)
    command = [str(ROOT / "handoff"), "run", "--port", str(port), "--admin-port", str(admin_port), "--max-message"]
    # The suite sends messages of 16 MiB.
    command += ["16MiB", str(ROOT / "conformance/autobahn/echo.py")]
    with process.run(command, folder / "handoff.log") as server:
        server.await_line("(is connected)")
        begun = time.monotonic()
        return judge(
            results(options.python, options.site, options.cases or ["*"], port, folder), time.monotonic() - begun
        )


if __name__ == "__main__":
    sys.exit(main())
