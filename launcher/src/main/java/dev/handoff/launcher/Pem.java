package dev.handoff.launcher;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.handoff.launcher.config.StartException;
import dev.handoff.launcher.config.UntrustedFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file in the textual encoding of RFC 7468, with certificates, a key, or both. What stands beside
 * its blocks is passed over.
 */
record Pem(Path file, List<Block> blocks) {
    /** A chain of many certificates has a tenth of this. */
    private static final int MOST_BYTES = 1024 * 1024;

    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");

    private static final String CERTIFICATE = "CERTIFICATE";
    private static final String KEY = "PRIVATE KEY";

    /**
     * @param text without white space
     */
    record Block(String label, String text) {}

    /**
     * @throws StartException if it cannot be read
     */
    static Pem read(Path file) throws StartException {
        List<Block> blocks = new ArrayList<>();
        Matcher found = BLOCK.matcher(text(file));
        while (found.find()) {
            blocks.add(new Block(found.group(1), found.group(2)));
        }
        return new Pem(file, blocks);
    }

    private static String text(Path file) throws StartException {
        // Of a pipe without a writer nobody would hear again, and with it of later reloads.
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new StartException(file + " is no regular file");
        }
        try {
            byte[] bytes = UntrustedFile.beginning(file, MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new StartException(file + " is too large for certificates or a key");
            }
            return new String(bytes, ISO_8859_1);
        } catch (NoSuchFileException none) {
            throw new StartException("there is no file " + file, none);
        } catch (AccessDeniedException denied) {
            throw new StartException(
                    "the server's user may not read %s: chmod or chown it".formatted(file), denied);
        } catch (IOException failure) {
            throw new StartException(
                    "cannot read %s: %s".formatted(file, failure.getMessage()), failure);
        }
    }

    /**
     * All of them, in their order.
     *
     * @throws StartException if there is none, or one cannot be understood
     */
    List<X509Certificate> certificates() throws StartException {
        List<X509Certificate> certificates = new ArrayList<>();
        for (Block each : blocks) {
            if (each.label.equals(CERTIFICATE)) {
                certificates.add(certificate(decode(each)));
            }
        }
        if (certificates.isEmpty()) {
            throw new StartException(
                    "%s has no certificate as PEM (-----BEGIN CERTIFICATE-----); from DER: openssl x509 -inform DER -in %s -out NEW.pem"
                            .formatted(file, file));
        }
        return certificates;
    }

    /**
     * The key, in the form of PKCS #8.
     *
     * @throws StartException if there is none, or it has another form; the message converts it
     */
    byte[] key() throws StartException {
        for (Block each : blocks) {
            if (each.label.equals(KEY)) {
                return decode(each);
            }
        }
        for (Block each : blocks) {
            if (each.label.endsWith(KEY)) {
                throw new StartException(
                        "the key in %s is of another kind (%s): openssl pkcs8 -topk8 -nocrypt -in %s -out NEW.pem makes one that is understood"
                                .formatted(file, each.label, file));
            }
        }
        throw new StartException(
                "%s has no key as PEM (-----BEGIN PRIVATE KEY-----); from DER: openssl pkcs8 -topk8 -nocrypt -inform DER -in %s -out NEW.pem"
                        .formatted(file, file));
    }

    private byte[] decode(Block block) throws StartException {
        try {
            return Base64.getDecoder().decode(block.text.replaceAll("\\s", ""));
        } catch (IllegalArgumentException broken) {
            throw new StartException(
                    "%s is damaged: its %s is not in base64".formatted(file, block.label), broken);
        }
    }

    private X509Certificate certificate(byte[] der) throws StartException {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(der));
        } catch (CertificateException broken) {
            throw new StartException(
                    "%s is damaged: %s".formatted(file, broken.getMessage()), broken);
        }
    }
}
