"""Lets these tests start Handoff as those of the SDK do."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "sdk-python" / "tests"))
