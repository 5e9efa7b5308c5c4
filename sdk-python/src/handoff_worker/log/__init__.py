"""What the SDK logs, and how much of a text it logs."""
