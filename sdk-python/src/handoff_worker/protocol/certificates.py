"""The certificate that a client has shown over TLS, as applications read it."""

WIDTH = 64
"""Of the lines (RFC 7468 section 2)."""


def pem_of(encoded: str) -> str:
    """PEM of DER in base64, the key `clientCertificate` of a request (PROTOCOL.md, `request`)."""
    lines = [encoded[at : at + WIDTH] for at in range(0, len(encoded), WIDTH)]
    return "\n".join(["-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""])
