"""A Handoff under load and a Prometheus that scrapes it, as processes of their own."""
