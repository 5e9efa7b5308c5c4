package dev.handoff.launcher;

import dev.handoff.admin.stats.ServedCertificate;
import dev.handoff.launcher.config.StartException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/**
 * A private key, and the certificate for it.
 *
 * @param chain the certificate, then those that vouch for it
 * @param names that the certificate is for, in lower case; {@code *.example.com} is one
 */
record CertifiedKey(PrivateKey key, List<X509Certificate> chain, List<String> names) {
    /** The kind of a subject alternative name that is a host's (RFC 5280 section 4.2.1.6). */
    private static final Integer DNS_NAME = 2;

    /** What is signed to see whether a key belongs to a certificate. */
    private static final byte[] PROBE = {1, 2, 3};

    CertifiedKey {
        chain = List.copyOf(chain);
        names = List.copyOf(names);
    }

    /**
     * @throws StartException if a file cannot be used, or the two do not belong together
     */
    static CertifiedKey read(Path certificateFile, Path keyFile) throws StartException {
        List<X509Certificate> chain = Pem.read(certificateFile).certificates();
        byte[] encoded = Pem.read(keyFile).key();
        PublicKey shown = chain.getFirst().getPublicKey();
        try {
            PrivateKey key =
                    KeyFactory.getInstance(shown.getAlgorithm())
                            .generatePrivate(new PKCS8EncodedKeySpec(encoded));
            if (belongsTo(key, shown)) {
                return new CertifiedKey(key, chain, names(chain.getFirst()));
            }
        } catch (GeneralSecurityException otherKind) {
            throw new StartException(mismatch(certificateFile, keyFile), otherKind);
        }
        throw new StartException(mismatch(certificateFile, keyFile));
    }

    private static String mismatch(Path certificateFile, Path keyFile) {
        return "the key in %s does not belong to the first certificate in %s: give the key that it was made with, and put the server's own certificate first"
                .formatted(keyFile, certificateFile);
    }

    private static boolean belongsTo(PrivateKey key, PublicKey shown)
            throws GeneralSecurityException {
        String algorithm =
                switch (shown.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> shown.getAlgorithm();
                };
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(PROBE);
        byte[] signed = signature.sign();
        signature.initVerify(shown);
        signature.update(PROBE);
        return signature.verify(signed);
    }

    private static List<String> names(X509Certificate certificate)
            throws CertificateParsingException {
        List<String> names = new ArrayList<>();
        Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
        if (alternatives != null) {
            for (List<?> each : alternatives) {
                if (each.get(0).equals(DNS_NAME) && each.get(1) instanceof String name) {
                    names.add(name.toLowerCase(Locale.ROOT));
                }
            }
        }
        return names;
    }

    /** Why clients will not believe it now; empty for no reason that shows here. */
    String doubt() {
        X509Certificate own = chain.getFirst();
        try {
            own.checkValidity();
            return "";
        } catch (CertificateExpiredException over) {
            return "it has expired on " + own.getNotAfter().toInstant();
        } catch (CertificateNotYetValidException early) {
            return "it is not valid before " + own.getNotBefore().toInstant();
        }
    }

    /** For operators. */
    ServedCertificate servedFrom(Path file) {
        X509Certificate own = chain.getFirst();
        return new ServedCertificate(
                file.toString(),
                names,
                own.getNotBefore().toInstant(),
                own.getNotAfter().toInstant());
    }

    /** Whether it is for this host; a star stands for one label (RFC 6125 section 6.4.3). */
    boolean isFor(String host) {
        String wanted = host.toLowerCase(Locale.ROOT);
        int dot = wanted.indexOf('.');
        return names.contains(wanted) || (dot > 0 && names.contains("*" + wanted.substring(dot)));
    }
}
