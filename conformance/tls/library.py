"""
What is used of tlslite-ng, which has no types. Its integration with asyncore, which nobody here needs, warns where Python still has
asyncore.
"""

import warnings

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "The asyncore module is deprecated", DeprecationWarning)
    from tlslite import constants, errors, extensions, messages  # type: ignore[import-untyped]
    from tlslite.api import X509, HandshakeSettings, TLSConnection, X509CertChain, parsePEMKey  # type: ignore[import-untyped]
    from tlslite.keyexchange import ECDHKeyExchange  # type: ignore[import-untyped]

__all__ = [
    "X509",
    "ECDHKeyExchange",
    "HandshakeSettings",
    "TLSConnection",
    "X509CertChain",
    "constants",
    "errors",
    "extensions",
    "messages",
    "parsePEMKey",
]
