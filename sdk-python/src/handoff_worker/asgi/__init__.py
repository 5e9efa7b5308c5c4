"""ASGI 3 applications, such as those of FastAPI, Starlette, Quart and Django."""
