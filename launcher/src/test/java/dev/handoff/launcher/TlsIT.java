package dev.handoff.launcher;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.TestCertificate;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** TLS as a user starts it, and as other programs speak it. */
class TlsIT extends EndToEnd {
    private static final String TELLS_FRAME = Distribution.testWorker("tells_frame.py");
    private static final String FIRST = "https://localhost:";

    @TempDir private Path folder;

    @Test
    void servesBesideThePlainPort() throws Exception {
        TestCertificate certificate = TestCertificate.of(folder, "localhost");
        Path ca = write("certificate.pem", certificate.certificatePem());
        HandoffProcess handoff = run(options(certificate, "--tls-listen", "localhost:0"));
        int port = tlsPort(handoff);

        for (String version : List.of("1.2", "1.3")) {
            Curl told =
                    Curl.run(
                            "--cacert",
                            ca.toString(),
                            "--tlsv" + version,
                            "--tls-max",
                            version,
                            FIRST + port + "/x");
            assertEquals(0, told.exitCode(), told.output());
            assertTrue(told.hasStatus(200), told.output());
            assertTrue(told.output().contains("\"scheme\": \"https\""), told.output());
        }
        Curl plain = Curl.run(handoff.url());
        assertTrue(plain.hasStatus(200));
        assertFalse(plain.output().contains("https"), plain.output());
        // It offers http/1.0 in the handshake, and h2 together with http/1.1.
        for (String version : List.of("--http1.0", "--http2")) {
            Curl told = Curl.run("--cacert", ca.toString(), version, FIRST + port + "/");
            assertTrue(told.hasStatus(200), told.output());
        }
        // Without the certificate it is refused by the client, which is exit code 60.
        assertEquals(60, Curl.run(FIRST + port + "/").exitCode());

        String said =
                openssl(
                        "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                        "s_client",
                        "-quiet",
                        "-ign_eof",
                        "-verify_return_error",
                        "-CAfile",
                        ca.toString(),
                        "-servername",
                        "localhost",
                        "-alpn",
                        "h2,http/1.1",
                        "-connect",
                        "localhost:" + port);
        assertTrue(said.contains("HTTP/1.1 200 OK"), said);
        assertFalse(said.contains("unexpected eof"), said);

        handoff.signal("TERM");
        assertEquals(0, handoff.awaitExit());
    }

    @Test
    void aReloadReadsTheCertificatesAgain() throws Exception {
        TestCertificate before = TestCertificate.of(folder, "localhost");
        HandoffProcess handoff = run(options(before, "--tls-listen", "localhost:0"));
        int port = tlsPort(handoff);
        TestCertificate after = TestCertificate.of(folder, "localhost");
        Path ca = write("after.pem", after.certificatePem());

        write("key.pem", after.keyPem());
        handoff.signal("HUP");
        handoff.awaitLog("the certificates and all else stay as they were: the key in ");
        assertEquals(0, ask(port, folder.resolve("certificate.pem")).exitCode());

        write("certificate.pem", after.certificatePem());
        handoff.signal("HUP");
        handoff.awaitLog("the certificates are read again");
        assertEquals(0, ask(port, ca).exitCode());
    }

    @Test
    void anInvalidConfigurationKeepsTheCertificatesToo() throws Exception {
        TestCertificate before = TestCertificate.of(folder, "localhost");
        Path ca = write("before.pem", before.certificatePem());
        String valid =
                "{\"pools\": {\"a\": {\"command\": [\"python3\", \"%s\"], \"workers\": 1}}}"
                        .formatted(Distribution.testWorker("names_itself.py"));
        String[] tls = options(before, "--tls-listen", "localhost:0");
        HandoffProcess handoff =
                handoff(
                        "serve",
                        "--config",
                        write("handoff.json", valid).toString(),
                        "--port",
                        "0",
                        "--admin-port",
                        "0",
                        tls[0],
                        tls[1],
                        tls[2],
                        tls[3],
                        tls[4],
                        tls[5]);
        int port = tlsPort(handoff);
        TestCertificate after = TestCertificate.of(folder, "localhost");
        write("key.pem", after.keyPem());
        Path newCa = write("certificate.pem", after.certificatePem());

        write("handoff.json", "{\"pools\": 7}");
        handoff.signal("HUP");
        handoff.awaitLog("the configuration stays as it was");
        assertEquals(0, ask(port, ca).exitCode());

        write("handoff.json", valid);
        handoff.signal("HUP");
        handoff.awaitLog("the certificates are read again");
        assertEquals(0, ask(port, newCa).exitCode());
    }

    @Test
    void operatorsSeeUntilWhenCertificatesAreValid() throws Exception {
        TestCertificate expired = TestCertificate.expired(folder, "localhost");
        HandoffProcess handoff = run(options(expired, "--tls-listen", "localhost:0"));
        tlsPort(handoff);
        String file = folder.resolve("certificate.pem").toString();
        String notAfter = "handoff_certificate_not_after_timestamp_seconds{file=\"" + file + "\",}";
        double expiredAt = handoff.metric(notAfter);
        assertTrue(expiredAt > 0 && expiredAt < Instant.now().getEpochSecond(), "" + expiredAt);

        TestCertificate renewed = TestCertificate.of(folder, "localhost");
        write("key.pem", renewed.keyPem());
        write("certificate.pem", renewed.certificatePem());
        handoff.signal("HUP");
        handoff.awaitLog("the certificates are read again");
        assertTrue(handoff.metric(notAfter) > Instant.now().getEpochSecond());
    }

    /** What workers of each kind answer with what they are told of the client's certificate. */
    static Stream<List<String>> tellers() {
        return Stream.of(
                List.of(
                        "asgi.py",
                        """
                        async def app(scope, receive, send):
                            name = scope["extensions"]["tls"]["client_cert_name"]
                            await send({"type": "http.response.start", "status": 200})
                            await send({"type": "http.response.body", "body": name.encode()})
                        """),
                List.of(
                        "wsgi.py",
                        """
                        def application(environ, start_response):
                            start_response("200 OK", [])
                            return [environ["SSL_CLIENT_S_DN"].encode("latin-1")]
                        """),
                List.of(
                        "plain.py",
                        """
                        from handoff_worker import Response, serve

                        serve(lambda request: Response(request.client_subject))
                        """),
                List.of(
                        "server.mjs",
                        """
                        import { createServer } from "node:http";
                        createServer(({ socket }, response) => {
                          const { CN } = socket.getPeerCertificate().subject;
                          response.end(socket.authorized ? `CN=${CN}` : "nobody");
                        }).listen(8080);
                        """));
    }

    @ParameterizedTest
    @MethodSource("tellers")
    void workersAreToldWhoseCertificateTheClientHasShown(List<String> teller) throws Exception {
        Path program = write(teller.get(0), teller.get(1));
        String[] started = {program.toString()};
        assertEquals("CN=billing", told(started).lines().toList().getLast());
    }

    @Test
    void serversAreToldTheCertificateThatTheClientHasShown() throws Exception {
        Path program =
                write(
                        "server.py",
                        """
                        import os
                        from http.server import BaseHTTPRequestHandler, HTTPServer

                        class Teller(BaseHTTPRequestHandler):
                            def do_GET(self):
                                self.send_response(200)
                                self.end_headers()
                                self.wfile.write(self.headers["Client-Cert"].encode())

                        HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Teller).serve_forever()
                        """);
        String told = told("--http", "--", "python3", program.toString());
        String pem = Files.readString(folder.resolve("billing.pem"));
        String encoded = pem.replaceAll("-----[^-]*-----|\\s", "");
        assertEquals(":" + encoded + ":", told.lines().toList().getLast());
    }

    /** What a client with the certificate of {@code billing} gets, from what is started so. */
    private String told(String... started) throws Exception {
        TestCertificate client = TestCertificate.of(folder, "billing");
        String shown = write("billing.pem", client.certificatePem()).toString();
        String key = write("billing.key", client.keyPem()).toString();
        TestCertificate own = TestCertificate.of(folder, "localhost");
        List<String> options =
                new ArrayList<>(List.of(options(own, "--tls-listen", "localhost:0")));
        options.removeLast();
        options.addAll(List.of("--tls-client-ca", shown));
        options.addAll(List.of(started));
        int port = tlsPort(run(options.toArray(String[]::new)));
        Curl curl =
                Curl.run(
                        "--cacert",
                        folder.resolve("certificate.pem").toString(),
                        "--cert",
                        shown,
                        "--key",
                        key,
                        "--header",
                        "Client-Cert: :forged:",
                        FIRST + port + "/");
        assertTrue(curl.hasStatus(200), curl.output());
        return curl.output();
    }

    @Test
    void refusesToStartWithoutUsableFiles() throws Exception {
        HandoffProcess lacks = run("--tls-listen", "localhost:0", TELLS_FRAME);
        assertEquals(2, lacks.awaitExit());
        lacks.awaitLog("--tls-listen needs a certificate and its key");

        HandoffProcess alone = run("--tls-key", "key.pem", TELLS_FRAME);
        assertEquals(2, alone.awaitExit());
        alone.awaitLog("--tls-key has no effect without --tls-listen");

        Path none = folder.resolve("none.pem");
        HandoffProcess missing =
                run(
                        "--tls-listen",
                        "localhost:0",
                        "--tls-certificate",
                        none.toString(),
                        "--tls-key",
                        none.toString(),
                        TELLS_FRAME);
        assertEquals(1, missing.awaitExit());
        missing.awaitLog("there is no file " + none);
    }

    @Test
    void warnsOfACertificateThatHasExpired() throws Exception {
        TestCertificate expired = TestCertificate.expired(folder, "localhost");
        HandoffProcess handoff = run(options(expired, "--tls-listen", "localhost:0"));
        tlsPort(handoff);
        handoff.awaitLog("clients will refuse the certificate in ");
    }

    private static Curl ask(int port, Path ca) throws IOException, InterruptedException {
        return Curl.run("--cacert", ca.toString(), FIRST + port + "/");
    }

    private String[] options(TestCertificate certificate, String... listen) throws IOException {
        return new String[] {
            listen[0],
            listen[1],
            "--tls-certificate",
            write("certificate.pem", certificate.certificatePem()).toString(),
            "--tls-key",
            write("key.pem", certificate.keyPem()).toString(),
            TELLS_FRAME
        };
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private static int tlsPort(HandoffProcess handoff) {
        String arrow = "→ https://";
        String line = handoff.stdout().await(each -> each.startsWith(arrow));
        return URI.create(line.substring(2)).getPort();
    }

    private static String openssl(String input, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().write(input.getBytes(ISO_8859_1));
        process.getOutputStream().flush();
        String said = new String(process.getInputStream().readAllBytes(), ISO_8859_1);
        process.waitFor();
        return said;
    }
}
