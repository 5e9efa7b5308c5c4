"""Lets the tests import the differential check: pytest puts the folder of a conftest.py on the path."""
