package dev.handoff.http;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 3986 section 3.2. */
class AuthorityTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "a.example",
                "A.EXAMPLE.",
                "localhost:8080",
                "a:",
                "a:0",
                "a:65535",
                "a:00080",
                "127.0.0.1",
                "127.0.0.1:80",
                "1.2.3",
                "xn--bcher-kva.example",
                "under_score",
                "a%20b",
                "a%20",
                "a%2F:80",
                "a~!$&'()*+;=-._",
                "[::]",
                "[::1]",
                "[::1]:8080",
                "[::1]:",
                "[1::]",
                "[1:2:3:4:5:6:7:8]",
                "[1:2:3:4:5:6:7::]",
                "[::2:3:4:5:6:7:8]",
                "[2001:DB8::ff00:42:8329]",
                "[::ffff:192.0.2.1]",
                "[1:2:3:4:5:6:192.0.2.1]",
                "[0001:0002:0003:0004:0005:0006:0007:0008]",
            })
    void acceptsHostWithOptionalPort(String text) {
        assertTrue(Authority.isValid(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                ":80",
                "a:b",
                "a:-1",
                "a:+1",
                "a:65536",
                "a:99999999999999999999",
                "a:80:80",
                "a: 80",
                "a b",
                "a,b",
                "a/b",
                "a?b",
                "a#b",
                "a@b",
                "a\\b",
                "a\"b",
                "a<b",
                "a%",
                "a%2",
                "a%2g",
                "%:80",
                "\u00e4",
                "a\u0000",
                "a\u0161",
                "[]",
                "[",
                "[::1",
                "::1",
                "[::1]x",
                "[::1]8080",
                "[::1]:x",
                "a[::1]",
                "[[::1]]",
                "[:]",
                "[:::]",
                "[::1::]",
                "[1]",
                "[1:2:3:4:5:6:7]",
                "[1:2:3:4:5:6:7:8:9]",
                "[1:2:3:4::5:6:7:8]",
                "[:1:2:3:4:5:6:7:8]",
                "[1:2:3:4:5:6:7:8:]",
                "[12345::]",
                "[g::]",
                "[::1.2.3]",
                "[::1.2.3.256]",
                "[::01.2.3.4]",
                "[::1.2.3.4.5]",
                "[::1.2.3.4:5]",
                "[1.2.3.4::]",
                "[1:2:3:4:5:6:7:1.2.3.4]",
                "[::1.2.3.]",
                "[127.0.0.1]",
                "[fe80::1%25eth0]",
                "[fe80::1%eth0]",
                "[v1.a]",
            })
    void refusesWhatIsNoHost(String text) {
        assertFalse(Authority.isValid(text));
    }
}
