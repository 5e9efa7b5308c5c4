package dev.handoff.testing;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A certificate that signs itself, with its key, made by the JDK's keytool. Where a JDK has none,
 * the test is skipped.
 */
public final class TestCertificate {
    private static final String ALIAS = "one";
    private static final char[] PASSWORD = "password".toCharArray();

    private final KeyStore store;

    private TestCertificate(KeyStore store) {
        this.store = store;
    }

    /** For these host names, valid now. */
    public static TestCertificate of(Path folder, String... names) throws IOException {
        return of(folder, List.of(), names);
    }

    /** Was valid until a week ago. */
    public static TestCertificate expired(Path folder, String name) throws IOException {
        return of(folder, List.of("-startdate", "-14d", "-validity", "7"), name);
    }

    private static TestCertificate of(Path folder, List<String> options, String... names)
            throws IOException {
        Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        assumeTrue(Files.isExecutable(keytool), "this JDK has no keytool");
        Path file = Files.createTempDirectory(folder, "certificate").resolve("store.p12");
        List<String> command = new ArrayList<>(List.of(keytool.toString(), "-genkeypair"));
        command.addAll(List.of("-alias", ALIAS, "-keyalg", "EC", "-storetype", "PKCS12"));
        command.addAll(List.of("-keystore", file.toString(), "-storepass", new String(PASSWORD)));
        command.addAll(List.of("-dname", "CN=" + names[0]));
        String alternatives =
                Arrays.stream(names).map(each -> "dns:" + each).collect(Collectors.joining(","));
        command.addAll(List.of("-ext", "san=" + alternatives));
        command.addAll(options);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), US_ASCII);
        try {
            assertEquals(0, process.waitFor(), said);
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException(said, unexpected);
        }
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, PASSWORD);
            return new TestCertificate(store);
        } catch (GeneralSecurityException unexpected) {
            throw new IllegalStateException(said, unexpected);
        }
    }

    /** What a server uses that has this certificate alone. */
    public SSLContext server() {
        return context(this, null);
    }

    /** What a client uses that trusts this certificate alone. */
    public SSLContext client() {
        return context(null, this);
    }

    /**
     * @param own what is shown; null for nothing
     * @param trusted what is believed; null for what the JDK believes
     */
    public static SSLContext context(
            @Nullable TestCertificate own, @Nullable TestCertificate trusted) {
        try {
            KeyManager[] keys = null;
            if (own != null) {
                KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
                factory.init(own.store, PASSWORD);
                keys = factory.getKeyManagers();
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(trusted == null ? null : trusted.believed());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    private KeyStore believed() throws GeneralSecurityException, IOException {
        KeyStore believed = KeyStore.getInstance("PKCS12");
        believed.load(null, null);
        believed.setCertificateEntry(ALIAS, store.getCertificate(ALIAS));
        return believed;
    }

    /** As it stands in a file for {@code --tls-certificate}. */
    public String certificatePem() {
        try {
            return pem("CERTIFICATE", store.getCertificate(ALIAS).getEncoded());
        } catch (GeneralSecurityException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    /** As it stands in a file for {@code --tls-key}. */
    public String keyPem() {
        try {
            return pem("PRIVATE KEY", store.getKey(ALIAS, PASSWORD).getEncoded());
        } catch (GeneralSecurityException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    private static String pem(String kind, byte[] der) {
        String lines = Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(der);
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, lines, kind);
    }
}
