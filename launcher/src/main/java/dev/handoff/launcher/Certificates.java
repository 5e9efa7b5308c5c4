package dev.handoff.launcher;

import dev.handoff.admin.stats.ServedCertificate;
import dev.handoff.launcher.config.StartException;
import dev.handoff.launcher.config.TlsSettings;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SNIMatcher;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.StandardConstants;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * What TLS clients see: reads the certificates and keys from their files, at the start and on each
 * reload, and makes the engines of new connections of them. Any thread.
 */
final class Certificates {
    private static final System.Logger LOG = System.getLogger(Certificates.class.getName());

    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};
    private static final String[] APPLICATION_PROTOCOLS = {"http/1.1", "http/1.0"};

    /** Sessions of clients that take no ticket, as few do: each takes a few kilobytes. */
    private static final int MOST_SESSIONS = 4096;

    /**
     * Lets a session be resumed for its name alone (RFC 6066 section 3): the JDK remembers names
     * only where somebody looks at them. Which are served is for {@link KeysByName} to say.
     */
    private static final SNIMatcher ANY_NAME =
            new SNIMatcher(StandardConstants.SNI_HOST_NAME) {
                @Override
                public boolean matches(SNIServerName name) {
                    return true;
                }
            };

    private final TlsSettings settings;
    private volatile Loaded loaded;

    /** What one reading of the files has brought. */
    private record Loaded(SSLContext context, List<ServedCertificate> served) {}

    private Certificates(TlsSettings settings, Loaded loaded) {
        this.settings = settings;
        this.loaded = loaded;
    }

    /**
     * Reads all files, and warns of certificates that clients will not believe.
     *
     * @throws StartException if one cannot be used; the message names it and says what to do
     */
    static Certificates read(TlsSettings settings) throws StartException {
        return new Certificates(settings, load(settings));
    }

    /**
     * Reads the files again, which changes nothing yet.
     *
     * @return shows new clients what the files have now; connections that are open keep what they
     *     have
     * @throws StartException if one cannot be used
     */
    Runnable readAgain() throws StartException {
        Loaded again = load(settings);
        return () -> {
            loaded = again;
            LOG.log(Level.INFO, "the certificates are read again");
        };
    }

    /** Those that new clients are shown. */
    List<ServedCertificate> served() {
        return loaded.served();
    }

    /** For one connection. */
    SSLEngine newEngine() {
        SSLEngine engine = loaded.context().createSSLEngine();
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(PROTOCOLS);
        parameters.setCipherSuites(strong(engine.getEnabledCipherSuites()));
        parameters.setApplicationProtocols(APPLICATION_PROTOCOLS);
        parameters.setSNIMatchers(List.of(ANY_NAME));
        parameters.setNeedClientAuth(settings.clientCa() != null);
        engine.setSSLParameters(parameters);
        return engine;
    }

    /** Those with forward secrecy and authenticated encryption: all of TLS 1.3, some of 1.2. */
    private static String[] strong(String[] suites) {
        return Arrays.stream(suites)
                .filter(each -> !each.contains("_WITH_") || each.startsWith("TLS_ECDHE_"))
                .filter(each -> each.contains("_GCM_") || each.contains("_CHACHA20_"))
                .toArray(String[]::new);
    }

    private static Loaded load(TlsSettings settings) throws StartException {
        List<CertifiedKey> keys = new ArrayList<>();
        List<ServedCertificate> served = new ArrayList<>();
        for (int i = 0; i < settings.certificates().size(); i++) {
            Path file = settings.certificates().get(i);
            CertifiedKey key = CertifiedKey.read(file, settings.keys().get(i));
            String doubt = key.doubt();
            if (!doubt.isEmpty()) {
                LOG.log(
                        Level.WARNING,
                        "clients will refuse the certificate in %s: %s".formatted(file, doubt));
            }
            keys.add(key);
            served.add(key.servedFrom(file));
        }
        TrustManager[] trusted = trusted(settings.clientCa());
        try {
            SSLContext made = SSLContext.getInstance("TLS");
            made.init(new KeyManager[] {new KeysByName(keys)}, trusted, null);
            made.getServerSessionContext().setSessionCacheSize(MOST_SESSIONS);
            return new Loaded(made, List.copyOf(served));
        } catch (GeneralSecurityException failure) {
            throw new StartException("TLS cannot be spoken: " + failure.getMessage(), failure);
        }
    }

    /**
     * @param clientCa null where clients show nothing
     */
    private static TrustManager[] trusted(@Nullable Path clientCa) throws StartException {
        if (clientCa == null) {
            return new TrustManager[0];
        }
        List<X509Certificate> believed = Pem.read(clientCa).certificates();
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (X509Certificate each : believed) {
                store.setCertificateEntry("ca" + store.size(), each);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(store);
            for (TrustManager each : factory.getTrustManagers()) {
                if (each instanceof X509ExtendedTrustManager judge) {
                    return new TrustManager[] {new ExactChain(judge, believed)};
                }
            }
            throw new KeyStoreException("nobody can judge certificates");
        } catch (GeneralSecurityException | IOException failure) {
            throw new StartException(
                    "the certificates in %s cannot be believed: %s"
                            .formatted(clientCa, failure.getMessage()),
                    failure);
        }
    }
}
