"""Lets the tests import what they start: pytest puts the folder of a conftest.py on the path."""
