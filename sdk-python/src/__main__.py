"""
Serves a file, as `python -m handoff_worker FILE.py` does, for `handoff run FILE.py`.

With `-m`, Python looks for every module first in the folder that it was started in, and somebody else may have put one there.
"""

import runpy
import sys

# Python puts this folder first when it runs it. It is on the path anyway, behind what the user has there.
del sys.path[0]
runpy.run_module("handoff_worker", run_name="__main__", alter_sys=True)
