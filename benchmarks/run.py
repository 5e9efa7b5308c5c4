#!/usr/bin/env python3
"""Measures Handoff side by side with other servers, and writes RESULTS.md. See README.md."""

import sys

from harness.comparison import Comparison
from harness.peers import GROUPS, OURS
from harness.steady_report import Page

PAGE = Page(
    "Results",
    "results",
    (
        "Written by `make bench`; [README.md](README.md) says how it measures and how to read this. Absolute figures hold for one",
        "machine on one day: quote the ratios.",
    ),
    response_heads=True,
)
SERVERS = Comparison(__doc__, GROUPS, OURS, PAGE, minutes=10)

if __name__ == "__main__":
    sys.exit(SERVERS.main(sys.argv[1:]))
