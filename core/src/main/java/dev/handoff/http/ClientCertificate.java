package dev.handoff.http;

/**
 * What a client has shown over TLS to say who it is. It was checked: somebody whom the server
 * believes has signed it.
 *
 * @param subject whose it is, as RFC 4514 writes names
 * @param encoded the certificate itself, DER (RFC 5280) in base64, as {@code Client-Cert} has it
 *     between colons (RFC 9440)
 */
public record ClientCertificate(String subject, String encoded) {}
