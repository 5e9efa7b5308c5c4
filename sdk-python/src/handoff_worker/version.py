"""The version of this package, which is the version of the Handoff it comes with."""

__version__ = "0.1.0"
