"""A Docker engine with Compose, and the images it builds on, for tests: what is there is used, what is missing is made."""
