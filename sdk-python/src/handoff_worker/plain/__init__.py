"""Plain functions from `Request` to `Response`, and what these two are made of."""
