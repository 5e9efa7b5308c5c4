#!/usr/bin/env python3
"""Builds Kubernetes' programs into the cache, so that `make test-kubernetes` need not: kubernetes/build.py, in the background."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "docker"), str(ROOT / "kubernetes")]

from cluster import programs

if __name__ == "__main__":
    if missing := programs.missing():
        sys.exit(f"missing: {', '.join(missing)}")
    with programs.kept() as folder:
        print(programs.built(folder))
