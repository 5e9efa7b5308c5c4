package dev.handoff.launcher;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.stream.IntStream;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the certificate for the name that a client asks for (SNI, RFC 6066 section 3): one that
 * is for this name if there is one, else the first. Any thread.
 */
final class KeysByName extends X509ExtendedKeyManager {
    private final List<CertifiedKey> keys;

    /**
     * @param keys at least one
     */
    KeysByName(List<CertifiedKey> keys) {
        this.keys = List.copyOf(keys);
    }

    /**
     * Asked with one kind of key after the other, as the client prefers them. So the choice by name
     * comes first: a certificate for another name is none, whatever its kind.
     */
    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
        List<CertifiedKey> forName =
                keys.stream().filter(each -> isAskedFor(each, engine)).toList();
        return (forName.isEmpty() ? List.of(keys.getFirst()) : forName)
                .stream()
                        .filter(each -> each.key().getAlgorithm().equals(keyType))
                        .findFirst()
                        .map(each -> Integer.toString(keys.indexOf(each)))
                        .orElse(null);
    }

    private static boolean isAskedFor(CertifiedKey key, SSLEngine engine) {
        if (engine.getHandshakeSession() instanceof ExtendedSSLSession session) {
            for (SNIServerName each : session.getRequestedServerNames()) {
                if (each instanceof SNIHostName host && key.isFor(host.getAsciiName())) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return keys.get(Integer.parseInt(alias)).chain().toArray(X509Certificate[]::new);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return keys.get(Integer.parseInt(alias)).key();
    }

    @Override
    public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        return IntStream.range(0, keys.size()).mapToObj(Integer::toString).toArray(String[]::new);
    }

    @Override
    public @Nullable String chooseServerAlias(
            String keyType, Principal @Nullable [] issuers, Socket socket) {
        return null;
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, Socket socket) {
        return null;
    }
}
