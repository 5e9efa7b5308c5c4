"""A running server under faults: workers that die and stop, reloads, scales and drains, and clients that check every byte."""
