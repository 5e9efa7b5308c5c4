package dev.handoff.process.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.HttpVersion;
import dev.handoff.http.Request;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RequestFrameTest {
    private static final String CLIENT = "127.0.0.1:54321";
    private static final Body FIVE = Body.utf8("12345");

    private final FrameEncoder encoder = new FrameEncoder();
    private final RequestFrame.Encoder requests = new RequestFrame.Encoder();

    static List<Arguments> fields() {
        return List.of(
                of("nothing", Body.EMPTY, List.of(), List.of()),
                of(
                        "end-to-end fields, duplicates in order",
                        Body.EMPTY,
                        List.of("host", "a", "x", "1", "y", "2", "x", "3"),
                        List.of("host", "a", "x", "1", "y", "2", "x", "3")),
                of(
                        "hop-by-hop fields",
                        Body.EMPTY,
                        List.of(
                                "host",
                                "a",
                                "connection",
                                "keep-alive",
                                "keep-alive",
                                "5",
                                "proxy-connection",
                                "close",
                                "te",
                                "trailers",
                                "trailer",
                                "x",
                                "upgrade",
                                "h2c",
                                "http2-settings",
                                "AAAA",
                                "expect",
                                "100-continue",
                                "accept",
                                "*/*"),
                        List.of("host", "a", "accept", "*/*")),
                of(
                        "fields named by Connection",
                        Body.EMPTY,
                        List.of(
                                "x-a",
                                "1",
                                "connection",
                                "X-A , close,,x-b",
                                "x-b",
                                "2",
                                "x-c",
                                "3"),
                        List.of("x-c", "3")),
                of(
                        "fields named by the second Connection line",
                        Body.EMPTY,
                        List.of("connection", "close", "connection", "x-b", "x-b", "2", "x-c", "3"),
                        List.of("x-c", "3")),
                of(
                        "host, although named by Connection",
                        Body.EMPTY,
                        List.of("host", "a", "connection", "host"),
                        List.of("host", "a")),
                of(
                        "what a proxy in front says, although named by Connection",
                        Body.EMPTY,
                        List.of(
                                "connection",
                                "close, X-Forwarded-For, client-cert, authorization",
                                "x-forwarded-for",
                                "192.0.2.1",
                                "client-cert",
                                ":AA:",
                                "authorization",
                                "Basic YTpi"),
                        List.of(
                                "x-forwarded-for",
                                "192.0.2.1",
                                "client-cert",
                                ":AA:",
                                "authorization",
                                "Basic YTpi")),
                of(
                        "content-length, although named by Connection",
                        FIVE,
                        List.of("connection", "content-length", "content-length", "5"),
                        List.of("content-length", "5")),
                of(
                        "content-length of zero",
                        Body.EMPTY,
                        List.of("content-length", "0"),
                        List.of("content-length", "0")),
                of(
                        "a content-length that is the body's in other digits",
                        FIVE,
                        List.of("content-length", "005", "x", "1"),
                        List.of("content-length", "5", "x", "1")),
                of(
                        "a chunked body",
                        FIVE,
                        List.of("a", "1", "transfer-encoding", "chunked", "b", "2"),
                        List.of("a", "1", "content-length", "5", "b", "2")),
                of(
                        "a chunked body without content",
                        Body.EMPTY,
                        List.of("transfer-encoding", "chunked"),
                        List.of("content-length", "0")),
                of(
                        "a body that no field announced",
                        FIVE,
                        List.of("a", "1"),
                        List.of("a", "1", "content-length", "5")));
    }

    private static Arguments of(String name, Body body, List<String> sent, List<String> seen) {
        return Arguments.of(name, body, headers(sent), headers(seen));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("fields")
    void showsTheWorker(String name, Body body, Headers sent, Headers seen) {
        Request request = new Request("POST", "/x", HttpVersion.HTTP_1_1, sent, body);
        assertWritten(message(7, 30_000, seen, body, null), request, 7, 30_000, null);
    }

    @Test
    void isTheFrameOfItsMessageForEveryIdAndTimeout() {
        long[] numbers = {1, 9, 10, 99, 100, 999_999_999, 1_000_000_000, 1L << 32, Message.MAX_ID};
        Headers headers = Headers.of("host", "a", "x", "\u00e4\"\\", "content-length", "5");
        Request request = new Request("POST", "/x", HttpVersion.HTTP_1_1, headers, FIVE);
        for (long id : numbers) {
            for (long timeout : numbers) {
                assertWritten(
                        message(id, timeout, headers, FIVE, "r-1"), request, id, timeout, "r-1");
            }
        }
        assertWritten(message(1, 0, headers, FIVE, null), request, 1, 0, null);
    }

    @Test
    void canBeWrittenAgainWithAnotherId() {
        Request request = new Request("GET", "/", HttpVersion.HTTP_1_0, Headers.EMPTY, Body.EMPTY);
        RequestFrame encoded = requests.encode(request, CLIENT, "http", null, "", null, null);
        byte[] first = written(encoded, 1, 5);
        Request other = new Request("PUT", "/2", HttpVersion.HTTP_1_1, Headers.EMPTY, Body.EMPTY);
        requests.encode(other, CLIENT, "http", null, "", "r-2", null);
        written(encoded, 22, 4);
        assertArrayEquals(first, written(encoded, 1, 5));
    }

    @Test
    void refusesIdsThatNoPeerTakes() {
        Request request = new Request("GET", "/", HttpVersion.HTTP_1_1, Headers.EMPTY, Body.EMPTY);
        RequestFrame encoded = requests.encode(request, CLIENT, "http", null, "", null, null);
        ByteBuffer out = ByteBuffer.allocate(1000);
        assertThrows(IllegalArgumentException.class, () -> encoded.writeHead(0, 1, false, out));
        assertThrows(
                IllegalArgumentException.class,
                () -> encoded.writeHead(Message.MAX_ID + 1, 1, false, out));
        assertThrows(IllegalArgumentException.class, () -> encoded.writeHead(1, -1, false, out));
        assertEquals(0, out.position());
    }

    private void assertWritten(
            Message.Request expected,
            Request request,
            long id,
            long timeout,
            @Nullable String requestId) {
        RequestFrame encoded = requests.encode(request, CLIENT, "http", null, "", requestId, null);
        byte[] frame = written(encoded, id, timeout);
        assertArrayEquals(encoder.encode(expected), frame);
        assertTrue(encoded.sizeBytes() >= frame.length);
        assertEquals(request.body(), encoded.body());
        FrameDecoder decoder = new FrameDecoder(FrameLimits.ofBody(100), Peer.CORE);
        assertEquals(new Decoded.Complete(expected), decoder.decode(frame, 0, frame.length));
    }

    private static byte[] written(RequestFrame encoded, long id, long timeout) {
        int headBytes = encoded.headSizeBytes(id, timeout, false);
        ByteBuffer out = ByteBuffer.allocate(headBytes + encoded.body().sizeBytes());
        encoded.writeHead(id, timeout, false, out);
        assertEquals(headBytes, out.position());
        encoded.body().copyTo(out);
        return out.array();
    }

    private static Message.Request message(
            long id, long timeout, Headers headers, Body body, @Nullable String requestId) {
        return WholeMessages.request(
                id, "POST", "/x", "1.1", headers, CLIENT, timeout, requestId, null, body);
    }

    private static Headers headers(List<String> namesAndValues) {
        return Headers.of(namesAndValues.toArray(String[]::new));
    }
}
