package dev.handoff.launcher;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Takes from clients a chain of certificates in its order, each of which vouches for the one before
 * it, and nothing else. The JDK keeps all that a client shows as long as the session lives, parsed:
 * one that nobody has signed, with a name of 2,250 parts in 27 KB, took 590 KB of every connection.
 */
final class ExactChain extends X509ExtendedTrustManager {
    /** Five certificates with large keys, or one that is safe from quantum computers. */
    static final int MOST_BYTES = 16 * 1024;

    private final X509ExtendedTrustManager judge;
    private final List<X509Certificate> believed;

    /**
     * @param judge whether a client is to be believed
     * @param believed those of the authorities
     */
    ExactChain(X509ExtendedTrustManager judge, List<X509Certificate> believed) {
        this.judge = judge;
        this.believed = List.copyOf(believed);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        judge.checkClientTrusted(chain, authType, engine);
        requireNothingElse(chain);
    }

    private void requireNothingElse(X509Certificate[] chain) throws CertificateException {
        int bytes = 0;
        for (X509Certificate each : chain) {
            bytes += each.getEncoded().length;
        }
        if (bytes > MOST_BYTES) {
            throw new CertificateException("the client's chain has more than 16 KiB");
        }
        // From its end on, so that who vouches for another has been vouched for.
        for (int i = chain.length - 1; i >= 0; i--) {
            boolean hasNext = i + 1 < chain.length;
            if (!isOfBelieved(chain[i]) && !(hasNext && isIssued(chain[i], chain[i + 1]))) {
                throw new CertificateException(
                        "certificate %d of the client's chain is not part of it".formatted(i + 1));
            }
        }
    }

    private boolean isOfBelieved(X509Certificate certificate) {
        return believed.contains(certificate)
                || believed.stream().anyMatch(each -> isSigned(certificate, each));
    }

    /** A client's own certificate vouches for nobody. */
    private static boolean isIssued(X509Certificate certificate, X509Certificate by) {
        return by.getBasicConstraints() >= 0 && isSigned(certificate, by);
    }

    private static boolean isSigned(X509Certificate certificate, X509Certificate by) {
        if (!certificate.getIssuerX500Principal().equals(by.getSubjectX500Principal())) {
            return false;
        }
        try {
            certificate.verify(by.getPublicKey());
            return true;
        } catch (GeneralSecurityException forged) {
            return false;
        }
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return judge.getAcceptedIssuers();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        throw onlyClientsOfEngines();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType)
            throws CertificateException {
        throw onlyClientsOfEngines();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        throw onlyClientsOfEngines();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        throw onlyClientsOfEngines();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType)
            throws CertificateException {
        throw onlyClientsOfEngines();
    }

    private static CertificateException onlyClientsOfEngines() {
        return new CertificateException("only clients of engines are looked at");
    }
}
