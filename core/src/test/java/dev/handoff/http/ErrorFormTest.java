package dev.handoff.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorFormTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/problem+json",
                "Application/Problem+JSON",
                "application/json",
                "text/html, application/json;q=0.1",
                "text/plain , application/problem+json ; charset=utf-8 ; q=0.01",
                "application/json;q=1.0",
                ",,application/json,",
            })
    void anAcceptThatNamesJsonWantsAProblem(String accept) {
        assertTrue(ErrorForm.of("GET", Headers.of("accept", accept)).asProblem());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*/*",
                "application/*",
                "text/html",
                "application/jsonp",
                "application/json;q=0",
                "application/json ; q=0.000",
                "application/problem+json;x=y;Q=0.0",
                "x=application/json",
            })
    void anyOtherAcceptWantsPlainText(String accept) {
        assertFalse(ErrorForm.of("GET", Headers.of("accept", accept)).asProblem());
    }

    @Test
    void severalAcceptLinesAreOneList() {
        Headers headers = Headers.of("accept", "text/html", "accept", "application/json");
        assertTrue(ErrorForm.of("GET", headers).asProblem());
    }

    @Test
    void onlyHeadIsAnsweredWithoutContent() {
        assertFalse(ErrorForm.of("HEAD", Headers.EMPTY).withContent());
        assertTrue(ErrorForm.of("head", Headers.EMPTY).withContent());
        assertTrue(ErrorForm.of("", Headers.EMPTY).withContent());
    }

    @Test
    void countsWhatCameBeforeTheFault() {
        String json = "Accept: application/json\r\n";
        assertEquals(new ErrorForm(true, true), formAfter("GET / HTTP/1.1\r\n" + json + "X : y"));
        assertEquals(new ErrorForm(true, false), formAfter("GET / HTTP/1.1\r\nX : y\r\n" + json));
        assertEquals(new ErrorForm(false, false), formAfter("HEAD / HTTP/9.1\r\n"));
        assertEquals(new ErrorForm(false, true), formAfter("HEAD / HTTP/1.1\r\n" + json + "\r\n"));
        assertEquals(
                new ErrorForm(false, true),
                formAfter(
                        "HEAD / HTTP/1.1\r\nHost: a\r\n"
                                + json
                                + "Transfer-Encoding: chunked\r\n\r\nx"));
    }

    @Test
    void forgetsTheRequestBefore() {
        String first = "HEAD / HTTP/1.1\r\nHost: a\r\nAccept: application/json\r\n\r\n";
        assertEquals(new ErrorForm(true, false), formAfter(first + "garbage\r\n"));
    }

    private static ErrorForm formAfter(String input) {
        RequestParser parser = new RequestParser(ParserLimits.DEFAULT);
        byte[] bytes = input.getBytes(StandardCharsets.ISO_8859_1);
        int at = 0;
        while (parser.parse(bytes, at, bytes.length) instanceof Parsed.Complete) {
            at = parser.consumedTo();
        }
        return parser.errorForm();
    }
}
