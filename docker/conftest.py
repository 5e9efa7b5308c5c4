"""Lets the tests import the harness: pytest puts the folder of a conftest.py on the path."""
