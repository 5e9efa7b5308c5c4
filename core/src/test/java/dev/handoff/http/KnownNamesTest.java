package dev.handoff.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KnownNamesTest {
    private static String field(String name) {
        byte[] bytes = ("<" + name + ">").getBytes(StandardCharsets.ISO_8859_1);
        return KnownNames.fieldName(bytes, 1, bytes.length - 1);
    }

    private static String method(String name) {
        byte[] bytes = ("<" + name + ">").getBytes(StandardCharsets.ISO_8859_1);
        return KnownNames.method(bytes, 1, bytes.length - 1);
    }

    @ParameterizedTest
    @CsvSource({
        "Host, HOST",
        "Content-Type, content-type",
        "TE, tE",
        "X-Request-ID, x-request-id",
        "Sec-CH-UA, SEC-ch-ua",
    })
    void makesNoNewStringForCommonNames(String one, String other) {
        assertSame(field(one), field(other));
        assertEquals(one.toLowerCase(Locale.ROOT), field(other));
    }

    @ParameterizedTest
    @CsvSource({
        "X, x",
        "Hast, hast",
        "Hosts, hosts",
        "Hos, hos",
        "h_st, h_st",
        "X-Real-iQ, x-real-iq",
        "@ost, @ost",
        "Z[, z[",
    })
    void lowersOtherNames(String name, String lower) {
        assertEquals(lower, field(name));
    }

    @Test
    void doesNotTakeSimilarBytesForLetters() {
        // These are letters but for the upper three bits.
        assertEquals("-t-", field("-T-"));
        assertEquals("ho34", field("Ho34"));
        assertEquals("host\r", field("Host\r"));
        assertEquals("te\u0014", field("TE\u0014"));
        assertEquals("\rnt", field("\rNT"));
    }

    @Test
    void knowsMethodsByTheirExactCase() {
        assertSame(method("GET"), method("GET"));
        assertSame(method("OPTIONS"), method("OPTIONS"));
        assertEquals("get", method("get"));
        assertEquals("GETS", method("GETS"));
        assertEquals("GE", method("GE"));
        assertNotSame(method("PURGE"), method("PURGE"));
    }
}
