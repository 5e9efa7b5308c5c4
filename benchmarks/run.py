#!/usr/bin/env python3
"""Measures Handoff side by side with other servers, and writes RESULTS.md. See README.md."""

import sys

from harness import report
from harness.comparison import Comparison
from harness.peers import OURS, PEERS

SERVERS = Comparison(__doc__, PEERS, OURS, rounds=5, seconds=5, warm_up=4, section=report.document)

if __name__ == "__main__":
    sys.exit(SERVERS.main(sys.argv[1:]))
