#!/usr/bin/env python3
"""Measures unchanged applications of Python and Node on Handoff and on their own servers, and writes it to RESULTS.md."""

import sys

from harness import report
from harness.comparison import Comparison
from harness.frameworks import FRAMEWORK_PEERS
from harness.node_frameworks import NODE_FRAMEWORK_PEERS

PEERS = FRAMEWORK_PEERS | NODE_FRAMEWORK_PEERS
OURS = [key for key in PEERS if key.endswith("-handoff")]
FRAMEWORKS = Comparison(__doc__, PEERS, OURS, rounds=3, seconds=4, warm_up=3, section=report.frameworks)

if __name__ == "__main__":
    sys.exit(FRAMEWORKS.main(sys.argv[1:]))
