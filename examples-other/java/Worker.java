import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.json.JsonArray;
import jakarta.json.JsonException;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.spi.JsonProvider;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.StringReader;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/** A whole Handoff worker in Java, with JSON-P; docs/PROTOCOL.md tells what it says and hears. */
public final class Worker {
    record Response(int status, JsonArray headers, byte[] content) {}

    /** Your part. Each request has a virtual thread of its own, so it may take its time. */
    static Response handle(JsonObject request, byte[] body) {
        String target = request.getString("target");
        JsonArray text = headers("content-type", "text/plain");
        return switch (target.split("\\?", 2)[0]) {
            case "/" -> new Response(200, text, "hello\n".getBytes(UTF_8));
            case "/echo" -> {
                String method = request.getString("method");
                String all = request.getJsonArray("headers").toString();
                yield new Response(200, headers("Echo-Method", method, "Echo-Target", target, "Echo-Headers", all), body);
            }
            default -> new Response(404, text, "There is nothing here.\n".getBytes(UTF_8));
        };
    }

    static JsonArray headers(String... namesAndValues) {
        var headers = JSON.createArrayBuilder();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            headers.add(JSON.createArrayBuilder().add(namesAndValues[i]).add(namesAndValues[i + 1]));
        }
        return headers.build();
    }

    private static final JsonProvider JSON = JsonProvider.provider(); // finding it takes long
    private static final int MOST_FRAMES = 64;

    private record Frame(JsonObject head, byte[] body) {}

    private final SocketChannel core;
    private final LinkedBlockingQueue<ByteBuffer> out = new LinkedBlockingQueue<>(10_000);
    private final Map<Long, Frame> uploads = new ConcurrentHashMap<>(); // requests in pieces
    private final Map<Long, AtomicLong> clocks = new ConcurrentHashMap<>(); // the bytes that may still be sent to each
    private final Map<Long, AtomicLong> sockets = new ConcurrentHashMap<>(); // likewise
    private volatile JsonObject limits = JsonObject.EMPTY_JSON_OBJECT;
    private volatile boolean draining;
    private boolean streams;

    private Worker(SocketChannel core) {
        this.core = core;
    }

    /** Goes on until the core hangs up, which is no fault. */
    private void serve() throws IOException, InterruptedException {
        Thread writer = Thread.ofPlatform().daemon().start(this::writeAll);
        Thread ticker = Thread.ofVirtual().start(this::tickForever);
        send(hello(), new byte[0]);
        try (var in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(core), 65_536))) {
            while (true) {
                byte[] json = new byte[in.readInt()];
                byte[] body = new byte[in.readInt()];
                in.readFully(json);
                in.readFully(body);
                try (var reader = JSON.createReader(new StringReader(new String(json, UTF_8)))) {
                    take(reader.readObject(), body);
                }
            }
        } catch (EOFException hungUp) {
            // It needs this worker no more, or has ended.
        } finally {
            writer.interrupt();
            ticker.interrupt();
        }
    }

    private static JsonObject hello() {
        String window = variable("HANDOFF_CONCURRENCY");
        JsonObjectBuilder hello = message("hello").add("protocol", 1).add("language", "java " + Runtime.version().feature());
        hello.add("concurrency", window == null ? 64 : Integer.parseInt(window)).add("pid", ProcessHandle.current().pid());
        hello.add("features", JSON.createArrayBuilder(List.of("streams", "websockets"))).add("streams", 1000);
        for (String name : List.of("pool", "token")) {
            String value = variable("HANDOFF_" + name.toUpperCase());
            if (value != null) {
                hello.add(name, value);
            }
        }
        return hello.build();
    }

    private static JsonObjectBuilder message(String type) {
        return JSON.createObjectBuilder().add("type", type);
    }

    private void send(JsonObject head, byte[] body) throws InterruptedException {
        byte[] json = head.toString().getBytes(UTF_8);
        boolean isResponse = head.getString("type").equals("response");
        if (isResponse && (json.length > limits.getInt("jsonBytes") || body.length > limits.getInt("bodyBytes"))) {
            fail(head.getJsonNumber("id").longValue(), "the response is larger than the core takes");
            return;
        }
        ByteBuffer frame = ByteBuffer.allocate(8 + json.length + body.length);
        out.put(frame.putInt(json.length).putInt(body.length).put(json).put(body).flip());
    }

    private void send(JsonObjectBuilder head) throws InterruptedException {
        send(head.build(), new byte[0]);
    }

    private void fail(long id, String why) throws InterruptedException {
        send(message("failure").add("id", id).add("message", why));
    }

    /** Gives the core what waits in one write: most of the speed comes from that. */
    private void writeAll() {
        try {
            while (true) {
                List<ByteBuffer> frames = new ArrayList<>(List.of(out.take()));
                out.drainTo(frames, MOST_FRAMES);
                var all = new ByteArrayOutputStream();
                frames.forEach(frame -> all.write(frame.array(), 0, frame.limit()));
                for (ByteBuffer left = ByteBuffer.wrap(all.toByteArray()); left.hasRemaining(); ) {
                    core.write(left);
                }
            }
        } catch (IOException | InterruptedException over) {
            // The reader notices too.
        }
    }

    private void take(JsonObject head, byte[] body) throws IOException, InterruptedException {
        JsonNumber number = head.getJsonNumber("id");
        long id = number == null ? 0 : number.longValueExact();
        switch (head.getString("type")) {
            case "welcome" -> {
                limits = head.getJsonObject("limits");
                streams = head.containsKey("features") && head.getJsonArray("features").toString().contains("\"streams\"");
            }
            case "request" -> {
                if (id == 0) {
                    throw new IOException("the core sent a request without an id");
                } else if (hasMore(head)) {
                    uploads.put(id, new Frame(head, body));
                } else {
                    start(id, head, body);
                }
            }
            case "data" -> {
                Frame begun = uploads.remove(id);
                if (begun != null) {
                    byte[] both = ByteBuffer.allocate(begun.body.length + body.length).put(begun.body).put(body).array();
                    if (hasMore(head)) {
                        uploads.put(id, new Frame(begun.head, both));
                    } else {
                        start(id, begun.head, both);
                    }
                }
            }
            case "credit" -> {
                AtomicLong credit = clocks.getOrDefault(id, sockets.get(id));
                if (credit != null) {
                    credit.addAndGet(head.getJsonNumber("bytes").longValue());
                }
            }
            case "message" -> {
                JsonObjectBuilder back = message("message").add("id", id).add("text", head.getBoolean("text", false));
                spend(sockets.get(id), body.length + 64, back, body);
            }
            case "close" -> {
                if (sockets.remove(id) != null) {
                    send(message("close").add("id", id));
                }
            }
            case "cancel" -> {
                endClock(id);
                if (uploads.remove(id) != null) {
                    fail(id, "cancelled");
                }
            }
            case "ping" -> send(message("pong"));
            case "drain" -> draining = true;
            case "refused" -> throw new IOException("refused: " + head.getString("message"));
            default -> {} // what a newer core says
        }
    }

    private static boolean hasMore(JsonObject head) {
        return head.getBoolean("more", false);
    }

    private void start(long id, JsonObject request, byte[] body) throws InterruptedException {
        long credit = limits.getInt("streamBytes", 65_536);
        String target = request.getString("target");
        JsonObjectBuilder begin = message("response").add("id", id).add("more", true);
        if (target.equals("/clock") && streams) {
            JsonArray headers = headers("content-type", "text/event-stream", "cache-control", "no-store");
            send(begin.add("status", 200).add("headers", headers));
            clocks.put(id, new AtomicLong(credit));
        } else if (target.equals("/chat") && request.containsKey("websocket") && !request.isNull("websocket")) {
            send(begin.add("status", 101));
            sockets.put(id, new AtomicLong(credit));
        } else {
            Thread.startVirtualThread(() -> answer(id, request, body));
        }
    }

    private void answer(long id, JsonObject request, byte[] body) {
        try {
            try {
                Response response = handle(request, body);
                JsonObjectBuilder head = message("response").add("id", id).add("status", response.status);
                send(head.add("headers", response.headers).build(), response.content);
            } catch (RuntimeException failure) {
                fail(id, failure.toString());
            }
        } catch (InterruptedException leaving) {
            Thread.currentThread().interrupt();
        }
    }

    /** A client that does not read misses what is sent meanwhile. */
    private void spend(AtomicLong credit, int bytes, JsonObjectBuilder head, byte[] body) throws InterruptedException {
        if (credit != null && credit.get() > 0) {
            credit.addAndGet(-bytes);
            send(head.build(), body);
        }
    }

    private void tickForever() {
        try {
            while (true) {
                Thread.sleep(1000);
                byte[] event = "data: %tT\n\n".formatted(LocalTime.now()).getBytes(UTF_8);
                for (Map.Entry<Long, AtomicLong> each : clocks.entrySet()) {
                    JsonObjectBuilder piece = message("data").add("id", each.getKey()).add("more", true);
                    spend(each.getValue(), event.length, piece, event);
                    if (draining) { // browsers connect again, and find another worker
                        endClock(each.getKey());
                    }
                }
            }
        } catch (InterruptedException over) {
            // The connection has ended.
        }
    }

    private void endClock(long id) throws InterruptedException {
        if (clocks.remove(id) != null) {
            send(message("data").add("id", id));
        }
    }

    private static String variable(String name) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? null : value;
    }

    private static volatile Worker current;

    /** SIGTERM: no new requests; the core hangs up when it has all responses. */
    private static void leave(CountDownLatch left) {
        try {
            Worker worker = current;
            if (worker != null && !worker.draining) {
                worker.draining = true;
                worker.send(message("drain"));
                left.await();
                Runtime.getRuntime().halt(0);
            }
        } catch (InterruptedException impossible) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        String socket = variable("HANDOFF_SOCKET");
        if (socket == null) {
            System.err.println("HANDOFF_SOCKET is not set: start this worker with 'handoff run'");
            System.exit(2);
        }
        CountDownLatch left = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> leave(left)));
        for (double pause = 100; ; pause = Math.min(2 * pause, 5000)) {
            boolean drained = false;
            try (SocketChannel core = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
                current = new Worker(core);
                current.serve();
                drained = current.draining;
            } catch (IOException | JsonException | ClassCastException | NullPointerException broken) {
                System.err.println("no core, or a broken frame: " + broken.getMessage());
            }
            left.countDown(); // where somebody waits, this process ends here
            if (variable("HANDOFF_TOKEN") != null) { // a worker that the core started leaves with it
                Runtime.getRuntime().halt(drained ? 0 : 1);
            }
            pause = drained ? 100 : pause;
            Thread.sleep((long) (pause * ThreadLocalRandom.current().nextDouble(0.5, 1.5)));
        }
    }
}
