"""Ends before it says hello, as a handler with a missing import does."""

raise SystemExit("this handler cannot start")
