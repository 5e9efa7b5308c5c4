package dev.handoff.http;

import static dev.handoff.http.EverySplit.accepted;
import static dev.handoff.http.EverySplit.assertIncomplete;
import static dev.handoff.http.EverySplit.assertRefused;
import static dev.handoff.http.EverySplit.assertRefusedAtEnd;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9112 section 3. */
class RequestLineTest {
    private static final String HOST = "Host: a.example\r\n\r\n";

    @Test
    void readsMethodTargetAndVersion() {
        Request request = accepted("GET /where?q=now HTTP/1.1\r\n" + HOST);
        assertEquals(
                new Request(
                        "GET",
                        "/where?q=now",
                        HttpVersion.HTTP_1_1,
                        Headers.of("host", "a.example"),
                        Body.EMPTY),
                request);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "PURGE", "M-SEARCH", "!#$%&'*+-.^_`|~09AZ", "G"})
    void passesAnyTokenInUpperCaseAsMethod(String method) {
        assertEquals(method, accepted(method + " / HTTP/1.1\r\n" + HOST).method());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                " GET / HTTP/1.1",
                "\tGET / HTTP/1.1",
                "G(T / HTTP/1.1",
                "GET\t/ HTTP/1.1",
                "GET\r\n",
                "G\0T / HTTP/1.1",
                "G\u00e4T / HTTP/1.1",
                "\"GET\" / HTTP/1.1",
                "\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc\u0003\u0003",
                "\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1",
            })
    void refusesMethodThatIsNoToken(String line) {
        assertRefused(Refusal.BAD_METHOD, line + "\r\n" + HOST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "pOST", "POSt", "a", "z", "propfind", "M-sEARCH", "connect"})
    void refusesMethodWithLowerCaseLetter(String method) {
        assertRefused(Refusal.LOWER_CASE_METHOD, method + " / HTTP/1.1\r\n" + HOST);
    }

    @Test
    void refusesTlsAtItsFirstByte() {
        assertRefusedAtEnd(Refusal.BAD_METHOD, "\u0016", ParserLimits.DEFAULT);
    }

    @Test
    void skipsOneEmptyLineBeforeTheRequestLine() {
        assertEquals("/", accepted("\r\nGET / HTTP/1.1\r\n" + HOST).target());
    }

    @Test
    void refusesLineFeedAloneBeforeTheRequestLine() {
        assertRefused(Refusal.BARE_LF, "\nGET / HTTP/1.1\r\n" + HOST);
        assertRefused(Refusal.BARE_CR, "\rGET / HTTP/1.1\r\n" + HOST);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "//",
                "//b.example:x",
                "/a/b;c=1/~d?e=f&g[]=h%20i?/:@!$'()*+,",
                "/%zz",
                "/a/../b/./c",
            })
    void leavesOriginFormAsItCame(String target) {
        assertEquals(target, accepted("GET " + target + " HTTP/1.1\r\n" + HOST).target());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " /",
                "/a\tb",
                "/a#b",
                "/a\"b",
                "/<a>",
                "/a\\b",
                "/a^b",
                "/{a}",
                "/`",
                "/a|b{",
                "/a%3f{",
                "/?\"",
                "/?a<b",
                "/?a>b",
                "/?#",
                "/?\u00e4",
                "http://a|b/",
                "http://a\\/?",
                "/\u00e4",
                "/\0",
                "/\u007f",
                "a.example",
                "a/b",
                "?a",
                "*",
                "*/",
                "**",
            })
    void refusesTargetThatIsNone(String target) {
        assertRefused(Refusal.BAD_TARGET, "GET " + target + " HTTP/1.1\r\n" + HOST);
    }

    /**
     * Every character: those of RFC 3986 always, those that the URL standard adds unless strict.
     */
    @Test
    void takesInPathAndQueryWhatTheUrlStandardLeavesRaw() {
        ParserLimits usual = ParserLimits.DEFAULT;
        ParserLimits strict =
                new ParserLimits(
                        usual.targetBytes(),
                        usual.headBytes(),
                        usual.fields(),
                        usual.bodyBytes(),
                        true);
        String always = "-._~:/[]@!$&'()*+,;=%?";
        for (char c = '!'; c < 0x100; c++) {
            boolean uri = c < 0x7f && (Character.isLetterOrDigit(c) || always.indexOf(c) >= 0);
            boolean inPath = uri || c == '|';
            boolean inQuery = uri || "|{}^`\\".indexOf(c) >= 0;
            assertEquals(inPath, isTaken("/a" + c + "b", usual), "path " + c);
            assertEquals(inQuery, isTaken("/a?" + c + "b", usual), "query " + c);
            assertEquals(uri, isTaken("/a" + c + "b", strict), "strict path " + c);
            assertEquals(uri, isTaken("/a?" + c + "b", strict), "strict query " + c);
        }
    }

    private static boolean isTaken(String target, ParserLimits limits) {
        byte[] bytes =
                ("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n")
                        .getBytes(StandardCharsets.ISO_8859_1);
        Parsed parsed = new RequestParser(limits).parse(bytes, 0, bytes.length);
        return parsed instanceof Parsed.Complete complete
                && complete.request().target().equals(target);
    }

    @ParameterizedTest
    @CsvSource({
        "http://b.example/x?y=1, /x?y=1, b.example",
        "HTTP://b.example:8080/x, /x, b.example:8080",
        "HTTP://[::1]:443/, /, [::1]:443",
        "http://b.example, /, b.example",
        "http://b.example?y, /?y, b.example",
    })
    void turnsAbsoluteFormIntoOriginForm(String target, String origin, String host) {
        Request request =
                accepted("GET " + target + " HTTP/1.1\r\nA: 1\r\nHost: a.example\r\nB: 2\r\n\r\n");
        assertEquals(origin, request.target());
        assertEquals(Headers.of("a", "1", "host", host, "b", "2"), request.headers());
    }

    @Test
    void givesAnOldClientTheHostOfItsAbsoluteForm() {
        Request request = accepted("GET http://b.example/ HTTP/1.0\r\nA: 1\r\n\r\n");
        assertEquals(Headers.of("a", "1", "host", "b.example"), request.headers());
    }

    @Test
    void wantsHostEvenWithAbsoluteForm() {
        assertRefused(Refusal.MISSING_HOST, "GET http://b.example/ HTTP/1.1\r\n\r\n");
        assertRefused(Refusal.BAD_HOST, "GET http://b.example/ HTTP/1.1\r\nHost: a b\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://",
                "http:///x",
                "http://?x",
                "http://user@b.example/",
                "http://user:password@b.example/",
                "http://b.example:port/",
                "http://[::1/",
                "http:/b.example/",
                "http:b.example",
                "ftp://b.example/",
                "ws://b.example/",
            })
    void refusesAbsoluteFormWithoutValidAuthority(String target) {
        assertRefused(Refusal.BAD_TARGET, "GET " + target + " HTTP/1.1\r\n" + HOST);
    }

    @Test
    void takesAsteriskForOptionsOnly() {
        assertEquals("*", accepted("OPTIONS * HTTP/1.1\r\n" + HOST).target());
        assertRefused(Refusal.BAD_TARGET, "GET * HTTP/1.1\r\n" + HOST);
    }

    @Test
    void readsAbsoluteOptionsWithoutPathAsAsterisk() {
        assertEquals("*", accepted("OPTIONS http://b.example HTTP/1.1\r\n" + HOST).target());
        assertEquals("/", accepted("OPTIONS http://b.example/ HTTP/1.1\r\n" + HOST).target());
        assertEquals("/?a", accepted("OPTIONS http://b.example?a HTTP/1.1\r\n" + HOST).target());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.example:443", "/", "*"})
    void refusesConnect(String target) {
        assertRefused(Refusal.CONNECT_UNSUPPORTED, "CONNECT " + target + " HTTP/1.1\r\n" + HOST);
    }

    @ParameterizedTest
    @CsvSource({
        "1.0, HTTP_1_0",
        "1.1, HTTP_1_1",
        "1.2, HTTP_1_1",
        "1.9, HTTP_1_1",
    })
    void servesEveryMinorVersionOfOne(String number, HttpVersion version) {
        assertEquals(version, accepted("GET / HTTP/" + number + "\r\n" + HOST).version());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/0.0",
                "GET / HTTP/0.9",
                "GET / HTTP/2.0",
                "GET / HTTP/3.7",
                "GET / HTTP/9.9",
                "PRI * HTTP/2.0",
            })
    void refusesOtherMajorVersions(String line) {
        assertRefused(Refusal.UNSUPPORTED_VERSION, line + "\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1",
                "HTTP/1.",
                "HTTP/1.10",
                "HTTP/11.1",
                "HTTP/1.1 ",
                "HTTP/1.1x",
                "HTTP/1,1",
                "HTTP/ 1.1",
                "HTTP/A.1",
                "HTTP/1.A",
                "HTTP 1.1",
                "http/1.1",
                "Http/1.1",
                "HTTPS/1.1",
                "ICY/1.0",
                " HTTP/1.1",
                "x HTTP/1.1",
                "HTTP/-1.1",
                "",
                "\t",
            })
    void refusesWhatIsNoVersion(String version) {
        assertRefused(Refusal.BAD_VERSION, "GET / " + version + "\r\n" + HOST);
    }

    @Test
    void refusesLineWithoutVersion() {
        assertRefused(Refusal.BAD_VERSION, "GET /\r\n");
        assertRefused(Refusal.BAD_VERSION, "GET /\n");
    }

    @Test
    void refusesRequestLineThatDoesNotEndWithCrlf() {
        assertRefused(Refusal.BARE_LF, "GET / HTTP/1.1\n" + HOST);
        assertRefused(Refusal.BARE_CR, "GET / HTTP/1.1\rHost: a\r\n\r\n");
        assertRefused(Refusal.BARE_CR, "GET / HTTP/1.1\r\r\n" + HOST);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"\r", "\r\n", "G", "GET", "GET ", "GET /", "GET / ", "GET / HTTP/1.1\r"})
    void waitsForTheRest(String start) {
        assertIncomplete(start);
    }

    @Test
    void knowsNoAuthorityOfOriginForm() {
        RequestTarget target = RequestTarget.of("GET", "/a");
        assertEquals(new RequestTarget("/a", null), target);
        assertNull(RequestTarget.of("GET", "a"));
    }
}
