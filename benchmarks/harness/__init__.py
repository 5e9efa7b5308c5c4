"""The side-by-side measurement: see ../README.md."""
