"""What ASGI and WSGI, the two gateway interfaces, have in common."""
