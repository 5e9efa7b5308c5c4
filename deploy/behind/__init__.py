"""A Handoff behind a real proxy, each a process of its own, and clients that reach it over TLS."""
