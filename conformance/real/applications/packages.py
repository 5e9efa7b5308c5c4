"""pypiserver over a folder, for whoever comes."""

import os

from pypiserver import app as pypi

app = pypi(roots=[os.environ["PACKAGES_FOLDER"]], password_file=".", authenticate=[])
