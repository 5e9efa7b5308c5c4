package dev.handoff.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.http.websocket.ClientFrames;
import dev.handoff.process.protocol.Message;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ResponseRoom;
import dev.handoff.server.ServerLimits;
import dev.handoff.server.ServerOptions;
import dev.handoff.testing.RawClient;
import java.io.IOException;
import java.util.List;

/** A pool whose workers take WebSockets, with the real server in front of it. */
final class WebSocketPool implements AutoCloseable {
    private static final String[] HANDSHAKE = {
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol: chat, other"
    };

    final TestPool pool;
    final HttpServer server;

    private WebSocketPool(TestPool pool) throws IOException {
        this(pool, ServerOptions.of(pool.pool.handler()));
    }

    private WebSocketPool(TestPool pool, ServerOptions options) throws IOException {
        this.pool = pool;
        server = HttpServer.start(options.withLoops(pool.loops.all()));
    }

    static WebSocketPool start() throws IOException {
        return new WebSocketPool(TestPool.start());
    }

    /** Its clients and workers live on the same loop, so that each calls the other at once. */
    static WebSocketPool startOnOneLoop() throws IOException {
        return new WebSocketPool(TestPool.startOnOneLoop());
    }

    /** Its clients, and what its workers send, share the room. */
    static WebSocketPool start(ResponseRoom room) throws IOException {
        TestPool pool = TestPool.start(room);
        ServerLimits limits = ServerLimits.DEFAULT.withBufferedBytes(2 * room.limitBytes());
        return new WebSocketPool(
                pool,
                ServerOptions.of(pool.pool.handler()).withLimits(limits).withResponseRoom(room));
    }

    /** A worker of one place, with room for ten others besides. */
    TestWorker join() throws IOException {
        return join(Message.MAX_ID, 10);
    }

    /**
     * @param creditBytes what each WebSocket may bring at first
     * @param streams the places besides the one
     */
    TestWorker join(long creditBytes, int streams) throws IOException {
        TestWorker worker = TestWorker.connect(pool.path);
        List<String> features = List.of(Message.WEBSOCKETS, Message.FRAGMENTS);
        Message.Hello usual = TestWorker.uploading(1, features, 1 << 20, creditBytes);
        worker.send(
                new Message.Hello(
                        1,
                        usual.pool(),
                        null,
                        null,
                        0,
                        null,
                        null,
                        null,
                        1,
                        features,
                        streams,
                        usual.bodyBytes(),
                        creditBytes,
                        0));
        worker.expect(Message.Welcome.class);
        return worker;
    }

    /** A client that asks for a WebSocket. */
    RawClient ask() throws IOException {
        return new RawClient(server.port()).get("/chat", HANDSHAKE);
    }

    /** The same, of a client that takes little before it reads. */
    RawClient ask(int windowBytes) throws IOException {
        return new RawClient(server.port(), windowBytes).get("/chat", HANDSHAKE);
    }

    /** A client whose WebSocket the worker has accepted. */
    RawClient opened(TestWorker worker) throws IOException {
        RawClient client = ask();
        open(worker, client);
        return client;
    }

    @Override
    public void close() throws IOException {
        server.stop();
        pool.close();
    }

    /** Returns the id under which the worker has accepted it. */
    static long open(TestWorker worker, RawClient client) throws IOException {
        long id = worker.request().id();
        worker.send(accept(id));
        assertEquals(101, client.readHead().status());
        return id;
    }

    static Message.Response accept(long id, String... headers) {
        return new Message.Response(id, Response.of(101, Headers.of(headers), Body.EMPTY), true);
    }

    static Message.WebSocketMessage text(long id, String text) {
        return new Message.WebSocketMessage(id, true, Body.utf8(text));
    }

    /** A fragment of a message, which is not the last one. */
    static Message.WebSocketMessage fragment(long id, boolean text, byte... bytes) {
        return new Message.WebSocketMessage(id, text, true, Body.of(bytes));
    }

    static Message.WebSocketMessage binary(long id, byte[] bytes) {
        return new Message.WebSocketMessage(id, false, Body.of(bytes));
    }

    static void expect(RawClient client, String latin1) throws IOException {
        assertEquals(latin1, new String(client.read(latin1.length()), ISO_8859_1));
    }

    static ClientFrames frames() {
        return new ClientFrames();
    }
}
