"""WSGI applications (PEP 3333), such as those of Flask, Django and Pyramid."""
