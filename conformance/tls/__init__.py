"""Clients of TLS that break its rules, or keep them in a way that few others do, and a server to try them on."""
