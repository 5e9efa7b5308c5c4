"""A handler that cannot be imported."""

import sys

print("one line before", file=sys.stderr)
print("ModuleNotFoundError: No module named 'app'", file=sys.stderr)
sys.exit(3)
