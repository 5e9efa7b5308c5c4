#!/usr/bin/env python3
"""Measures unchanged applications of Python and Node on Handoff and on their own servers, and writes it to RESULTS.md."""

import sys

from harness.comparison import Comparison
from harness.frameworks import FRAMEWORK_GROUPS
from harness.node_frameworks import NODE_FRAMEWORK_GROUPS
from harness.steady_report import Page

GROUPS = FRAMEWORK_GROUPS | NODE_FRAMEWORK_GROUPS
OURS = [key for group in GROUPS.values() for key in group if key.endswith("-handoff")]
PAGE = Page(
    "Frameworks",
    "frameworks",
    ("Written by `make bench-frameworks`: the same application, unchanged, on several servers.",),
    response_heads=False,
)
FRAMEWORKS = Comparison(__doc__, GROUPS, OURS, PAGE, minutes=6)

if __name__ == "__main__":
    sys.exit(FRAMEWORKS.main(sys.argv[1:]))
