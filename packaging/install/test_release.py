"""A dry run of a release makes all that would be uploaded, in a clone."""

import platform
import re
import shutil
import subprocess

from components import ROOT

VERSION = "900.0.0"
EXPECTED = [
    f"pip/handoff_server-{VERSION}-py3-none-any.whl",
    f"pip/handoff_worker-{VERSION}-py3-none-any.whl",
    f"pip/handoff_worker-{VERSION}.tar.gz",
    f"npm/handoff-server-{VERSION}.tgz",
    f"npm/handoff-server-linux-[a-z0-9]+-{VERSION}.tgz",
    f"npm/handoff-worker-{VERSION}.tgz",
    f"handoff-server-{VERSION}-linux-{platform.machine()}.tar.gz",
    *([f"handoff-server_{VERSION}_[a-z0-9]+.deb"] if shutil.which("dpkg-deb") else []),
    *(
        f"maven/dev/handoff/{name}/{VERSION}/{name}-{VERSION}{kind}"
        for name in ("handoff-core", "handoff-handlers-process")
        for kind in (".jar", "-sources.jar", "-javadoc.jar", ".pom")
    ),
]


def test_dry_run_makes_all_that_is_uploaded() -> None:
    command = [
        str(ROOT / "scripts" / "release"),
        VERSION,
        "900.0.1",
        "--url",
        "https://example.org/handoff",
        "--dry-run",
    ]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
    made = re.findall(r"^[0-9a-f]{64}  (\S+)$", done.stdout, re.MULTILINE)
    for pattern in EXPECTED:
        assert sum(re.fullmatch(pattern, name) is not None for name in made) == 1, pattern
    assert len(made) == len(EXPECTED)
