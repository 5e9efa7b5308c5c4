"""Lets the tests import what stands beside them: pytest puts the folder of a conftest.py on the path."""
