package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.handoff.http.Response;
import dev.handoff.launcher.config.StartException;
import dev.handoff.launcher.config.TlsSettings;
import dev.handoff.server.Handler;
import dev.handoff.server.HttpServer;
import dev.handoff.server.Listening;
import dev.handoff.server.ServerOptions;
import dev.handoff.testing.RawClient;
import dev.handoff.testing.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of certificates and keys, and what clients see of them. */
final class CertificatesTest {
    @TempDir private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void servesWithTheFiles(String version) throws Exception {
        TestCertificate certificate = TestCertificate.of(folder, "localhost");
        Certificates certificates = Certificates.read(settings(null, certificate));
        try (Served served = new Served(certificates)) {
            SSLSocket client = served.connect(certificate.client(), "localhost", version);
            assertEquals("http/1.1", client.getApplicationProtocol());
            assertEquals(version, client.getSession().getProtocol());
            assertEquals("/", ask(client));
        }
    }

    @Test
    void speaksNothingOlderAndNoWeakCipher() throws Exception {
        TestCertificate certificate = TestCertificate.of(folder, "localhost");
        Certificates certificates = Certificates.read(settings(null, certificate));
        assertArrayEquals(
                new String[] {"TLSv1.3", "TLSv1.2"},
                certificates.newEngine().getEnabledProtocols());
        String[] suites = certificates.newEngine().getEnabledCipherSuites();
        assertTrue(suites.length > 5);
        assertTrue(Stream.of(suites).noneMatch(each -> each.contains("_CBC_")));
    }

    @Test
    void choosesByName() throws Exception {
        TestCertificate first = TestCertificate.of(folder, "one.example", "localhost");
        TestCertificate second = TestCertificate.of(folder, "two.example", "*.two.example");
        Certificates certificates = Certificates.read(settings(null, first, second));
        try (Served served = new Served(certificates)) {
            assertEquals("/", ask(served.connect(first.client(), "one.example")));
            assertEquals("/", ask(served.connect(second.client(), "two.example")));
            assertEquals("/", ask(served.connect(second.client(), "a.TWO.example")));
            assertEquals("/", ask(served.connect(first.client(), "a.b.two.example")));
            assertEquals("/", ask(served.connect(first.client(), "other.example")));
            assertEquals("/", ask(served.connect(first.client(), null)));
            assertThrows(
                    IOException.class, () -> ask(served.connect(second.client(), "one.example")));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void asksForCertificatesOfClients(String version) throws Exception {
        TestCertificate own = TestCertificate.of(folder, "localhost");
        TestCertificate clients = TestCertificate.of(folder, "client.example");
        TestCertificate strangers = TestCertificate.of(folder, "client.example");
        Certificates certificates = Certificates.read(settings(clients, own));
        try (Served served = new Served(certificates)) {
            SSLContext known = TestCertificate.context(clients, own);
            assertEquals("/", ask(served.connect(known, "localhost", version)));
            for (TestCertificate other : new TestCertificate[] {strangers, null}) {
                SSLContext unknown = TestCertificate.context(other, own);
                assertThrows(
                        IOException.class,
                        () -> ask(served.connect(unknown, "localhost", version)));
            }
        }
    }

    @Test
    void readsThemAgainAndKeepsWhatIsOpen() throws Exception {
        TestCertificate before = TestCertificate.of(folder, "localhost");
        TestCertificate after = TestCertificate.of(folder, "localhost");
        TlsSettings settings = settings(null, before);
        Certificates certificates = Certificates.read(settings);
        try (Served served = new Served(certificates)) {
            SSLSocket open = served.connect(before.client(), "localhost");
            assertEquals("/", ask(open));

            Files.writeString(settings.keys().getFirst(), after.keyPem());
            assertTrue(whyNotRead(certificates).contains("does not belong to"));
            assertEquals("/", ask(served.connect(before.client(), "localhost")));

            Files.writeString(settings.certificates().getFirst(), "no longer a certificate");
            assertTrue(whyNotRead(certificates).contains("has no certificate"));
            assertEquals("/", ask(served.connect(before.client(), "localhost")));

            Files.writeString(settings.certificates().getFirst(), after.certificatePem());
            Runnable use = certificates.readAgain();
            assertEquals("/", ask(served.connect(before.client(), "localhost")));

            use.run();
            assertEquals("/", ask(served.connect(after.client(), "localhost")));
            assertThrows(IOException.class, () -> served.connect(before.client(), "localhost"));
            assertEquals("/", ask(open));
        }
    }

    private static String whyNotRead(Certificates certificates) {
        return String.valueOf(
                assertThrows(StartException.class, certificates::readAgain).getMessage());
    }

    @Test
    void readsACertificateAndItsKeyFromOneFile() throws Exception {
        TestCertificate certificate = TestCertificate.of(folder, "localhost");
        Path both =
                Files.writeString(
                        folder.resolve("both.pem"),
                        "subject=localhost\n"
                                + certificate.keyPem()
                                + certificate.certificatePem());
        TlsSettings settings = new TlsSettings(List.of(), List.of(both), List.of(both), null);
        assertEquals(List.of("localhost"), CertifiedKey.read(both, both).names());
        Certificates.read(settings).readAgain().run();
    }

    @Test
    void saysWhatIsWrongWithAFile() throws Exception {
        TestCertificate certificate = TestCertificate.of(folder, "localhost");
        TestCertificate other = TestCertificate.of(folder, "localhost");
        Path good = Files.writeString(folder.resolve("good.pem"), certificate.certificatePem());
        Path key = Files.writeString(folder.resolve("key.pem"), certificate.keyPem());
        Path none = folder.resolve("none.pem");
        assertEquals("there is no file " + none, refusal(none, key));
        assertEquals("there is no file " + none, refusal(good, none));
        assertTrue(refusal(key, key).startsWith(key + " has no certificate as PEM"));
        assertTrue(refusal(good, good).startsWith(good + " has no key as PEM"));
        Path others = Files.writeString(folder.resolve("others.pem"), other.keyPem());
        assertTrue(
                refusal(good, others)
                        .startsWith(
                                "the key in %s does not belong to the first certificate in %s"
                                        .formatted(others, good)));
        for (String kind : List.of("RSA ", "EC ", "ENCRYPTED ")) {
            String text = certificate.keyPem().replace("PRIVATE", kind + "PRIVATE");
            Path old = Files.writeString(folder.resolve("old.pem"), text);
            assertTrue(
                    refusal(good, old)
                            .contains("openssl pkcs8 -topk8 -nocrypt -in %s -out".formatted(old)));
        }
        String cut = certificate.certificatePem().replaceFirst("\nM", "\n!");
        Path damaged = Files.writeString(folder.resolve("damaged.pem"), cut);
        assertTrue(refusal(damaged, key).startsWith(damaged + " is damaged"));
        Path large = Files.writeString(folder.resolve("large.pem"), "x".repeat(1_100_000));
        assertTrue(refusal(large, key).contains("too large"));
    }

    @Test
    void waitsForNoWriterOfAPipe() throws Exception {
        TestCertificate certificate = TestCertificate.of(folder, "localhost");
        Path good = Files.writeString(folder.resolve("good.pem"), certificate.certificatePem());
        Path pipe = folder.resolve("key.pem");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        assertEquals(
                pipe + " is no regular file",
                assertTimeoutPreemptively(Duration.ofSeconds(30), () -> refusal(good, pipe)));
    }

    @Test
    void seesThatACertificateHasExpired() throws Exception {
        assertTrue(
                doubt(TestCertificate.expired(folder, "localhost"))
                        .startsWith("it has expired on 20"));
        assertEquals("", doubt(TestCertificate.of(folder, "localhost")));
    }

    /** The command that the message names does what it says. */
    @Test
    void opensslConvertsAnotherKey() throws Exception {
        assumeTrue(canRun("openssl", "version"), "there is no openssl");
        TestCertificate certificate = TestCertificate.of(folder, "localhost");
        Path good = Files.writeString(folder.resolve("good.pem"), certificate.certificatePem());
        Path key = Files.writeString(folder.resolve("key.pem"), certificate.keyPem());
        Path old = folder.resolve("old.pem");
        assertTrue(canRun("openssl", "ec", "-in", key.toString(), "-out", old.toString()));
        assertTrue(Files.readString(old).contains("BEGIN EC PRIVATE KEY"));
        assertFalse(refusal(good, old).isEmpty());
        Path converted = folder.resolve("converted.pem");
        assertTrue(
                canRun(
                        "openssl",
                        "pkcs8",
                        "-topk8",
                        "-nocrypt",
                        "-in",
                        old.toString(),
                        "-out",
                        converted.toString()));
        assertEquals(List.of("localhost"), CertifiedKey.read(good, converted).names());
    }

    private String doubt(TestCertificate certificate) throws Exception {
        TlsSettings settings = settings(null, certificate);
        return CertifiedKey.read(settings.certificates().getFirst(), settings.keys().getFirst())
                .doubt();
    }

    private static String refusal(Path certificate, Path key) {
        StartException refused =
                assertThrows(StartException.class, () -> CertifiedKey.read(certificate, key));
        return String.valueOf(refused.getMessage());
    }

    private TlsSettings settings(@Nullable TestCertificate clients, TestCertificate... certificates)
            throws IOException {
        List<Path> files = new ArrayList<>();
        List<Path> keys = new ArrayList<>();
        for (TestCertificate each : certificates) {
            files.add(write("certificate", each.certificatePem()));
            keys.add(write("key", each.keyPem()));
        }
        Path ca = clients == null ? null : write("ca", clients.certificatePem());
        return new TlsSettings(List.of(), files, keys, ca);
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(Files.createTempFile(folder, name, ".pem"), text);
    }

    private static boolean canRun(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException noProgram) {
            return false;
        }
    }

    private static String ask(SSLSocket client) throws IOException {
        return new RawClient(client).ask("/").text();
    }

    /** A server that answers with the target, at a place with these certificates. */
    private static final class Served implements AutoCloseable {
        private static final Handler TELL_TARGET =
                exchange -> exchange.respond(Response.text(200, exchange.request().target()));

        private final HttpServer server;

        Served(Certificates certificates) throws IOException {
            Listening place =
                    Listening.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                            .withTls(certificates::newEngine);
            server = HttpServer.start(ServerOptions.of(TELL_TARGET).withListening(List.of(place)));
        }

        SSLSocket connect(SSLContext context, @Nullable String name) throws IOException {
            return connect(context, name, "TLSv1.3");
        }

        SSLSocket connect(SSLContext context, @Nullable String name, String version)
                throws IOException {
            SSLSocket socket =
                    (SSLSocket)
                            context.getSocketFactory()
                                    .createSocket(
                                            InetAddress.ofLiteral("127.0.0.1"), server.port());
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setProtocols(new String[] {version});
            parameters.setApplicationProtocols(new String[] {"h2", "http/1.1"});
            if (name != null) {
                parameters.setServerNames(List.of(new SNIHostName(name)));
            }
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return socket;
        }

        @Override
        public void close() {
            server.stop();
        }
    }
}
