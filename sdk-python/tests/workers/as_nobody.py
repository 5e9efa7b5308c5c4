"""Another worker of this folder, which root runs as somebody who may do nothing."""

import os
from pathlib import Path

import handoff_worker.engine.async_worker
import handoff_worker.engine.blocking_worker  # noqa: F401  both before they may not be read any more

NOBODY = 65534

program = Path(__file__).with_name(os.environ["PROGRAM"])
code = compile(program.read_text(), program, "exec")
import deeds  # noqa: F401

os.setgroups([])
os.setgid(NOBODY)
os.setuid(NOBODY)
exec(code)  # noqa: S102
