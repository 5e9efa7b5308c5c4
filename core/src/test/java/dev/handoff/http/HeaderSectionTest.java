package dev.handoff.http;

import static dev.handoff.http.EverySplit.accepted;
import static dev.handoff.http.EverySplit.assertIncomplete;
import static dev.handoff.http.EverySplit.assertRefused;
import static dev.handoff.http.EverySplit.complete;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9112 section 5, and the fields that the core judges: Host, Connection, Expect. */
class HeaderSectionTest {
    private static final String LINE = "GET / HTTP/1.1\r\n";
    private static final String OLD_LINE = "GET / HTTP/1.0\r\n";
    private static final String START = LINE + "Host: a.example\r\n";

    @Test
    void keepsFieldsInOrderWithDuplicatesAndLowerCaseNames() {
        Request request =
                accepted(START + "Accept: a\r\nX-Own-NAME: 1\r\naccept:b\r\nACCEPT:\r\n\r\n");
        assertEquals(
                Headers.of(
                        "host",
                        "a.example",
                        "accept",
                        "a",
                        "x-own-name",
                        "1",
                        "accept",
                        "b",
                        "accept",
                        ""),
                request.headers());
    }

    @Test
    void dropsWhiteSpaceAroundValuesButNotInside() {
        Request request = accepted(START + "A: \t b \t c\t \r\nD:e\r\nF: \t \r\n\r\n");
        assertEquals(
                Headers.of("host", "a.example", "a", "b \t c", "d", "e", "f", ""),
                request.headers());
    }

    @Test
    void allowsBytesBeyondAsciiInValues() {
        assertEquals(
                "\u00e4\u0080\u00ff",
                accepted(START + "A: \u00e4\u0080\u00ff\r\n\r\n").headers().first("a"));
    }

    @Test
    void takesEveryTokenAsName() {
        Request request = accepted(START + "!#$%&'*+-.^_`|~09azAZ: v\r\n\r\n");
        assertEquals("!#$%&'*+-.^_`|~09azaz", request.headers().name(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ": v",
                "A(b: v",
                "A\0: v",
                "\u00c4: v",
                "A@: v",
                "A/b: v",
                "[a]: v",
                "A",
                "A\r\n",
                "\"a\": v",
                "a\u007f: v",
                "{\"json\": 1}",
                "A=b",
            })
    void refusesNameThatIsNoToken(String line) {
        assertRefused(Refusal.BAD_HEADER_NAME, START + line + "\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length : 5", "A\t: v", "A B: v"})
    void refusesSpaceBeforeColon(String line) {
        assertRefused(Refusal.SPACE_BEFORE_COLON, START + line + "\r\n\r\n");
    }

    @Test
    void refusesFoldedLines() {
        assertRefused(Refusal.OBSOLETE_FOLD, START + "A: b\r\n c\r\n\r\n");
        assertRefused(Refusal.OBSOLETE_FOLD, START + "A: b\r\n\tc\r\n\r\n");
        assertRefused(Refusal.OBSOLETE_FOLD, START + "A: b\r\n \r\n\r\n");
        assertRefused(Refusal.OBSOLETE_FOLD, LINE + " Host: a.example\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"\0", "a\0b", "\u0001", "a\u000bb", "a\fb", "\u001b[0m", "\u007f", "\b"})
    void refusesControlsInValues(String value) {
        assertRefused(Refusal.BAD_HEADER_VALUE, START + "A: " + value + "\r\n\r\n");
    }

    @Test
    void refusesBareCarriageReturn() {
        assertRefused(Refusal.BARE_CR, START + "A: b\rC: d\r\n\r\n");
        assertRefused(Refusal.BARE_CR, START + "A: b\r\r\n\r\n");
        assertRefused(Refusal.BARE_CR, START + "\rA: b\r\n\r\n");
        assertRefused(Refusal.BARE_CR, START + "A: b\r\n\r\r\n");
    }

    @Test
    void refusesBareLineFeed() {
        assertRefused(Refusal.BARE_LF, START + "A: b\nC: d\r\n\r\n");
        assertRefused(Refusal.BARE_LF, START + "A: b\r\n\n");
        assertRefused(Refusal.BARE_LF, START + "A:\n\r\n");
    }

    @Test
    void waitsForTheEmptyLine() {
        assertIncomplete(START);
        assertIncomplete(START + "A");
        assertIncomplete(START + "A: b \t");
        assertIncomplete(START + "A: b\r\n\r");
    }

    @Test
    void wantsHostInOneOneOnly() {
        assertRefused(Refusal.MISSING_HOST, LINE + "\r\n");
        assertRefused(Refusal.MISSING_HOST, LINE + "X-Host: a\r\n\r\n");
        assertEquals(Headers.EMPTY, accepted(OLD_LINE + "\r\n").headers());
    }

    @Test
    void refusesMoreThanOneHost() {
        assertRefused(Refusal.DUPLICATE_HOST, LINE + "Host: a\r\nHost: b\r\n\r\n");
        assertRefused(Refusal.DUPLICATE_HOST, LINE + "Host: a\r\nA: b\r\nhost: a\r\n\r\n");
        assertRefused(Refusal.DUPLICATE_HOST, OLD_LINE + "Host: a\r\nHost: a\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a, b", "a,b", "a@b", "a b", "http://a", "a/b", "[::1", ":80"})
    void refusesInvalidHost(String host) {
        assertRefused(Refusal.BAD_HOST, LINE + "Host:" + host + "\r\n\r\n");
        assertRefused(Refusal.BAD_HOST, OLD_LINE + "Host:" + host + "\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection: close",
                "Connection: Close",
                "Connection: keep-alive, CLOSE",
                "Connection: close, keep-alive",
                "Connection: x ,\tclose ,y",
                "Connection: ,,close",
                "Connection: keep-alive\r\nConnection: close",
            })
    void endsAfterClose(String line) {
        assertFalse(complete(START + line + "\r\n\r\n").persistent());
        assertFalse(complete(OLD_LINE + line + "\r\n\r\n").persistent());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "A: b",
                "Connection:",
                "Connection: closed",
                "Connection: not-close",
                "Connection: close;x",
                "Connection: upgrade, keepalive",
                "Keep-Alive: timeout=5",
                "Proxy-Connection: close",
                "X: close",
            })
    void persistsByDefaultInOneOneOnly(String line) {
        assertTrue(complete(START + line + "\r\n\r\n").persistent());
        assertFalse(complete(OLD_LINE + line + "\r\n\r\n").persistent());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection: keep-alive",
                "Connection: Keep-Alive",
                "Connection: te, keep-alive",
                "Connection: te\r\nConnection: keep-alive",
            })
    void persistsInOneZeroWithKeepAlive(String line) {
        assertTrue(complete(START + line + "\r\n\r\n").persistent());
        assertTrue(complete(OLD_LINE + line + "\r\n\r\n").persistent());
    }

    @ParameterizedTest
    @ValueSource(strings = {"200-ok", "100-continue, x", "100-continue;q=1", "100 continue"})
    void refusesUnknownExpectationsButNotOfOldClients(String value) {
        String line = "Expect: " + value + "\r\n\r\n";
        assertRefused(Refusal.UNKNOWN_EXPECTATION, START + line);
        assertRefused(Refusal.UNKNOWN_EXPECTATION, START + "Expect: 100-continue\r\n" + line);
        assertRefused(
                Refusal.UNKNOWN_EXPECTATION, START + "Expect: x\r\nExpect: 100-continue\r\n\r\n");
        assertEquals(value, accepted(OLD_LINE + line).headers().first("expect"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",", " , ,", "100-continue,", ", 100-CONTINUE , 100-continue"})
    void readsExpectationsAsAList(String value) {
        assertEquals("/", accepted(START + "Expect: " + value + "\r\n\r\n").target());
    }

    @Test
    void knowsExpectContinueInAnyCase() {
        assertEquals("/", accepted(START + "Expect: 100-Continue\r\n\r\n").target());
    }
}
