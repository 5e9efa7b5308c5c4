package dev.handoff.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseFaultTest {
    private static @Nullable ResponseFault field(String name, String value) {
        Headers headers = Headers.of("a", "b", name, value);
        return ResponseFault.of(Response.of(200, headers, Body.EMPTY));
    }

    private static @Nullable ResponseFault reason(@Nullable String reason) {
        return ResponseFault.of(new Response(200, reason, Headers.EMPTY, Body.EMPTY));
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -200, 0, 99, 100, 101, 199, 600, 999, 2000})
    void refusesStatusThatIsNotFinal(int status) {
        Response response = Response.of(status, Headers.EMPTY, Body.EMPTY);
        assertEquals(ResponseFault.BAD_STATUS, ResponseFault.of(response));
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 299, 418, 599})
    void takesFinalStatus(int status) {
        assertNull(ResponseFault.of(Response.of(status, Headers.EMPTY, Body.EMPTY)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\r\nb",
                "a\rb",
                "a\nb",
                "\0",
                "\u0001",
                "\u007f",
                "\u0100",
                "\u4f60",
                "\ud83d\ude00"
            })
    void refusesTextThatCouldEndItsLine(String text) {
        assertEquals(ResponseFault.BAD_HEADER_VALUE, field("x", text));
        assertEquals(ResponseFault.BAD_REASON, reason(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b\tc", "\u0080\u00ff", "!~"})
    void takesOtherText(String text) {
        assertNull(field("x", text));
        assertNull(reason(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a:", "a\r\nb", "a\0", "\u00e4", "a\u0161", "a(b)"})
    void refusesNameThatIsNoToken(String name) {
        assertEquals(ResponseFault.BAD_HEADER_NAME, field(name, "v"));
    }

    @Test
    void takesTheUsualReason() {
        assertNull(reason(null));
    }

    @Test
    void faultsHaveWireNames() {
        assertEquals("bad_header_value", ResponseFault.BAD_HEADER_VALUE.code());
        assertEquals(
                "The status is not a number from 200 to 599.", ResponseFault.BAD_STATUS.message());
    }
}
