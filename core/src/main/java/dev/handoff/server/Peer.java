package dev.handoff.server;

import dev.handoff.http.ClientCertificate;
import dev.handoff.http.Request;
import dev.handoff.server.forwarding.Forwarding;
import dev.handoff.server.forwarding.Origin;
import java.nio.charset.StandardCharsets;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.HexFormat;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * The other end of one connection: a client, or a trusted proxy, which names its clients. Belongs
 * to the loop's thread.
 */
final class Peer {
    private final Origin origin;

    /** Null where no proxy is trusted, and what requests say of proxies means nothing. */
    private final @Nullable Forwarding forwarding;

    /** Null where nobody is asked for a certificate, or it was looked at. */
    private @Nullable SSLEngine asked;

    private @Nullable ClientCertificate certificate;

    /**
     * @param origin of requests of which no proxy says more
     * @param engine for TLS; null where the connection is plain
     */
    Peer(Origin origin, @Nullable SSLEngine engine, @Nullable Forwarding forwarding) {
        this.origin = origin;
        this.forwarding = forwarding;
        this.asked =
                engine != null && (engine.getNeedClientAuth() || engine.getWantClientAuth())
                        ? engine
                        : null;
    }

    /** Its address and port, as {@link Exchange#client} writes them. */
    String name() {
        return origin.client();
    }

    /**
     * Whose a request is, with the certificate that was shown, if it is the peer's own.
     *
     * @param judged what {@link #judge} has found; null where it has not judged
     */
    Origin origin(Forwarding.@Nullable Judged judged) {
        Origin found = judged == null ? origin : judged.origin();
        if (asked != null) {
            certificate = shownTo(asked);
            asked = null;
        }
        return certificate == null || found.byProxy() ? found : found.with(certificate);
    }

    /** The one that was shown in a handshake that is over; null if none was. */
    private static @Nullable ClientCertificate shownTo(SSLEngine engine) {
        try {
            Certificate[] chain = engine.getSession().getPeerCertificates();
            return chain[0] instanceof X509Certificate own ? told(own) : null;
        } catch (SSLPeerUnverifiedException none) {
            return null;
        }
    }

    private static ClientCertificate told(X509Certificate own) {
        try {
            return new ClientCertificate(
                    nameOf(own.getSubjectX500Principal()),
                    Base64.getEncoder().encodeToString(own.getEncoded()));
        } catch (CertificateEncodingException cameEncoded) {
            throw new IllegalStateException(cameEncoded);
        }
    }

    /**
     * A name whose controls stand as hexadecimal pairs (RFC 4514 section 2.4): else they would get
     * into logs and fields.
     */
    static String nameOf(X500Principal subject) {
        String name = subject.getName(X500Principal.RFC2253);
        if (name.chars().noneMatch(Character::isISOControl)) {
            return name;
        }
        StringBuilder escaped = new StringBuilder();
        for (int at = 0; at < name.length(); at++) {
            char c = name.charAt(at);
            if (Character.isISOControl(c)) {
                for (byte each : String.valueOf(c).getBytes(StandardCharsets.UTF_8)) {
                    escaped.append('\\').append(HexFormat.of().withUpperCase().toHexDigits(each));
                }
            } else {
                escaped.append(c);
            }
        }
        return escaped.toString();
    }

    /** The peer's own address. */
    String address() {
        return origin.client();
    }

    /** Whether it may ask for https resources: over TLS, or as a proxy that ended TLS before. */
    boolean mayAskForHttps() {
        return origin.scheme().equals(Origin.HTTPS)
                || (forwarding != null && forwarding.isPeerTrusted());
    }

    /** The request as the handler sees it, with its client; null where no proxy is trusted. */
    Forwarding.@Nullable Judged judge(Request request) {
        return forwarding == null ? null : forwarding.judge(request);
    }
}
