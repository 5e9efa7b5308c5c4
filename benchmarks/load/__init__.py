"""The clients: what loads the servers, each in a process of its own."""
