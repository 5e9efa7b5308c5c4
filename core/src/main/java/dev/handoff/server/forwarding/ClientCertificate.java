package dev.handoff.server.forwarding;

import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * What a client has shown over TLS to say who it is. It was checked: somebody whom the server
 * believes has signed it.
 *
 * @param subject whose it is, as RFC 4514 writes names
 * @param encoded the certificate itself, DER (RFC 5280) in base64
 */
public record ClientCertificate(String subject, String encoded) {
    /**
     * The one that was shown in a handshake that is over.
     *
     * @return null if none was
     */
    public static @Nullable ClientCertificate of(SSLEngine engine) {
        try {
            Certificate[] chain = engine.getSession().getPeerCertificates();
            return chain[0] instanceof X509Certificate own ? of(own) : null;
        } catch (SSLPeerUnverifiedException none) {
            return null;
        }
    }

    private static ClientCertificate of(X509Certificate own) {
        try {
            return new ClientCertificate(
                    own.getSubjectX500Principal().getName(X500Principal.RFC2253),
                    Base64.getEncoder().encodeToString(own.getEncoded()));
        } catch (CertificateEncodingException cameEncoded) {
            throw new IllegalStateException(cameEncoded);
        }
    }
}
