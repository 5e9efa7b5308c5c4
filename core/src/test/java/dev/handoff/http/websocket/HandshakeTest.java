package dev.handoff.http.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.handoff.http.ArrivingContent;
import dev.handoff.http.Body;
import dev.handoff.http.ErrorForm;
import dev.handoff.http.Headers;
import dev.handoff.http.HttpVersion;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 6455 section 4.2 and RFC 7692 section 7.1. */
class HandshakeTest {
    private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

    @Test
    void acceptsTheExampleOfTheStandard() {
        Handshake.Offer offer = offer("sec-websocket-protocol", "chat, superchat");
        assertEquals("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", offer.accept());
        assertEquals(List.of("chat", "superchat"), offer.subprotocols());
        assertNull(offer.compression());
    }

    @Test
    void findsTheTokensInListsOfAnyCase() {
        Handshake handshake =
                Handshake.of(
                        request(
                                "connection", "keep-alive",
                                "connection", "foo, UPGRADE",
                                "upgrade", "h2c, WebSocket",
                                "sec-websocket-version", "13",
                                "sec-websocket-key", KEY));
        assertInstanceOf(Handshake.Offer.class, handshake);
    }

    @Test
    void isNoneWithoutWhatMakesAHandshake() {
        String[] fields = fields();
        assertEquals(Handshake.NONE, Handshake.of(request()));
        assertEquals(Handshake.NONE, Handshake.of(request("upgrade", "websocket")));
        assertEquals(
                Handshake.NONE, Handshake.of(request("upgrade", "h2c", "connection", "upgrade")));
        assertEquals(Handshake.NONE, Handshake.of(request(fields("connection", "close"))));
        assertEquals(
                Handshake.NONE,
                Handshake.of(
                        new Request(
                                "POST",
                                "/",
                                HttpVersion.HTTP_1_1,
                                Headers.of(fields),
                                Body.EMPTY)));
        assertEquals(
                Handshake.NONE,
                Handshake.of(
                        new Request(
                                "GET", "/", HttpVersion.HTTP_1_0, Headers.of(fields), Body.EMPTY)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "dGhlIHNhbXBsZSBub25jZQ",
                "dGhlIHNhbXBsZSBub25jZSE=",
                "!GhlIHNhbXBsZSBub25jZQ==",
                "dGhlIHNhbXBsZSBub25jZQ== "
            })
    void refusesKeysThatAreNot16BytesInBase64(String key) {
        assertMalformed(
                400,
                request(
                        "connection", "upgrade",
                        "upgrade", "websocket",
                        "sec-websocket-version", "13",
                        "sec-websocket-key", key));
    }

    /** An HTTP server would get the handshake without it. */
    @ParameterizedTest
    @ValueSource(strings = {"Key", "Version", "Protocol", "Extensions"})
    void refusesAFieldOfItsOwnThatConnectionNames(String field) {
        assertMalformed(400, request(fields("connection", "Sec-WebSocket-" + field)));
    }

    @Test
    void refusesAKeyThatIsMissingOrThereTwice() {
        assertMalformed(
                400,
                request(
                        "connection", "upgrade",
                        "upgrade", "websocket",
                        "sec-websocket-version", "13"));
        assertMalformed(400, request(fields("sec-websocket-key", KEY)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "12", "14", "13, 8", "013"})
    void namesItsVersionToOthers(String version) {
        Handshake.Malformed malformed =
                assertMalformed(
                        426,
                        request(
                                "connection",
                                "upgrade",
                                "upgrade",
                                "websocket",
                                "sec-websocket-version",
                                version,
                                "sec-websocket-key",
                                KEY));
        Response response = malformed.response(ErrorForm.of("GET", Headers.EMPTY));
        assertEquals("13", response.headers().first("sec-websocket-version"));
        assertEquals("websocket", response.headers().first("upgrade"));
    }

    @Test
    void refusesContent() {
        assertMalformed(
                400,
                new Request(
                        "GET", "/", HttpVersion.HTTP_1_1, Headers.of(fields()), Body.utf8("x")));
    }

    /** None of it has come when the request is handed over. */
    @Test
    void refusesContentThatArrives() {
        assertMalformed(
                400,
                new Request(
                        "GET",
                        "/",
                        HttpVersion.HTTP_1_1,
                        Headers.of(fields()),
                        Body.arriving(new NothingCame())));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "a, a", "a;q=1", "\"a\""})
    void refusesSubprotocolsThatAreNoListOfDifferentTokens(String list) {
        assertMalformed(400, request(fields("sec-websocket-protocol", list)));
    }

    @Test
    void takesAListThatIsAsLongAsAHeadCanBe() {
        StringBuilder list = new StringBuilder();
        for (int i = 0; i < 100_000; i++) {
            list.append(i).append(',');
        }
        assertEquals(
                100_000, offer("sec-websocket-protocol", list.toString()).subprotocols().size());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "permessage-deflate | 0",
                "Permessage-Deflate; client_max_window_bits | 0",
                "permessage-deflate; client_max_window_bits=8; server_no_context_takeover | 0",
                "permessage-deflate; client_no_context_takeover; server_max_window_bits=15 | 15",
                "permessage-deflate; server_max_window_bits=\"10\" | 10",
                "x-webkit-deflate-frame, permessage-deflate; server_max_window_bits=9 | 9",
                "permessage-deflate; unknown, permessage-deflate | 0",
                "permessage-deflate; server_max_window_bits=7, permessage-deflate; server_max_window_bits=8 | 8"
            })
    void agreesOnTheFirstOfferThatItKnows(String extensions, int bits) {
        DeflateOffer compression = offer("sec-websocket-extensions", extensions).compression();
        assertNotNull(compression);
        String base = "permessage-deflate; server_no_context_takeover; client_no_context_takeover";
        assertEquals(
                bits == 0 ? base : base + "; server_max_window_bits=" + bits,
                compression.accepted());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "permessage-bzip2",
                "permessage-deflate; server_no_context_takeover=1",
                "permessage-deflate; client_no_context_takeover; client_no_context_takeover",
                "permessage-deflate; server_max_window_bits",
                "permessage-deflate; server_max_window_bits=16",
                "permessage-deflate; server_max_window_bits=08",
                "permessage-deflate; client_max_window_bits=7",
                "permessage-deflate;"
            })
    void declinesOffersThatItCannotKeep(String extensions) {
        assertNull(offer("sec-websocket-extensions", extensions).compression());
    }

    private static final class NothingCame implements ArrivingContent {
        @Override
        public boolean isReady() {
            return false;
        }

        @Override
        public void letBegin() {}

        @Override
        public ByteBuffer poll(int mostBytes) {
            return ByteBuffer.allocate(0);
        }

        @Override
        public boolean isComplete() {
            return false;
        }

        @Override
        public boolean isOver() {
            return false;
        }

        @Override
        public int cameBytes() {
            return 0;
        }

        @Override
        public void whenReady(Runnable action) {}

        @Override
        public void whenComplete(Runnable action) {}

        @Override
        public boolean rewind() {
            return false;
        }

        @Override
        public void forgetTaken() {}

        @Override
        public long slownessNanos() {
            return 0;
        }

        @Override
        public void giveWay() {}
    }

    private static Handshake.Malformed assertMalformed(int status, Request request) {
        Handshake.Malformed malformed =
                assertInstanceOf(Handshake.Malformed.class, Handshake.of(request));
        assertEquals(status, malformed.error().status());
        return malformed;
    }

    private static Handshake.Offer offer(String... more) {
        return assertInstanceOf(Handshake.Offer.class, Handshake.of(request(fields(more))));
    }

    private static String[] fields(String... more) {
        List<String> fields =
                new ArrayList<>(
                        List.of(
                                "connection", "upgrade",
                                "upgrade", "websocket",
                                "sec-websocket-version", "13",
                                "sec-websocket-key", KEY));
        fields.addAll(List.of(more));
        return fields.toArray(String[]::new);
    }

    private static Request request(String... fields) {
        return new Request("GET", "/", HttpVersion.HTTP_1_1, Headers.of(fields), Body.EMPTY);
    }
}
