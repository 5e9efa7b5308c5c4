package dev.handoff.admin.api;

import dev.handoff.admin.AdminListener;
import dev.handoff.admin.AdminOptions;
import dev.handoff.admin.AdminServer;
import dev.handoff.admin.stats.Counters;
import dev.handoff.admin.stats.ObservedServer;
import dev.handoff.admin.stats.ServedCertificate;
import dev.handoff.loop.Clock;
import dev.handoff.loop.EventLoops;
import dev.handoff.process.Processes;
import dev.handoff.process.TestWorker;
import dev.handoff.process.WorkerPool;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.join.WorkerSocket;
import dev.handoff.process.supervise.ProcessStarter;
import dev.handoff.process.supervise.WorkerCommand;
import dev.handoff.server.ConnectionEnd;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerOptions;
import dev.handoff.server.files.FileThreads;
import dev.handoff.testing.RawClient;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.io.Closeable;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** An admin server, and the pool and the HTTP server that it is about. */
final class RunningAdmin implements AutoCloseable {
    private static final int MOST_PROCESSES = 4;

    /** Answers everything but requests for {@code /held}, which it keeps. */
    static final List<String> HOLDS = Processes.python("holds");

    final EventLoops loops;
    final WorkerPool pool;
    final AdminServer admin;
    final RecordedOperations operations = new RecordedOperations();

    /** How connections of the admin server have ended so far. */
    final Set<ConnectionEnd> ends = ConcurrentHashMap.newKeySet();

    /** Of calls to the admin server, in their order. */
    final Queue<CallRefusal> refusals = new ConcurrentLinkedQueue<>();

    /** Whose they were. */
    final Queue<String> refusedClients = new ConcurrentLinkedQueue<>();

    /** What its clients are shown. */
    final List<ServedCertificate> certificates = new CopyOnWriteArrayList<>();

    private final List<WorkerPool> serving = new CopyOnWriteArrayList<>();
    private final List<WorkerPool> retiring = new CopyOnWriteArrayList<>();
    private final Path folder;
    private final WorkerSocket socket;
    private final HttpServer http;
    private final HttpClient client = HttpClient.newHttpClient();
    private final List<Closeable> sockets = new ArrayList<>();

    private RunningAdmin(PoolLimits limits, @Nullable AccessToken token) throws IOException {
        folder = Files.createTempDirectory("admin");
        Counters counters = new Counters(1);
        loops = EventLoops.start("test", 1, Clock.SYSTEM, counters.loopListener());
        pool =
                new WorkerPool(
                        "default",
                        loops.get(0),
                        limits,
                        List.of(counters.poolListener("default", 0)),
                        "test");
        serving.add(pool);
        socket = WorkerSocket.open(folder.resolve("s"), List.of(pool.entrance()), loops.get(0));
        http =
                HttpServer.start(
                        ServerOptions.of(pool.handler())
                                .withLoops(loops)
                                .withListener(counters.serverListener()));
        admin =
                AdminServer.prepare(
                        new AdminOptions("127.0.0.1", 0, token, 100),
                        new ObservedServer(
                                loops,
                                http,
                                () -> serving,
                                () -> retiring,
                                () -> certificates,
                                counters,
                                new FileThreads(1),
                                Map.of()),
                        operations,
                        "1.2.3",
                        new AdminListener() {
                            @Override
                            public void onConnectionClosed(ConnectionEnd end) {
                                ends.add(end);
                            }

                            @Override
                            public void onCallRefused(CallRefusal reason, String caller) {
                                refusals.add(reason);
                                refusedClients.add(caller);
                            }
                        });
        admin.bind();
    }

    static RunningAdmin start() throws IOException {
        return start(PoolLimits.DEFAULT);
    }

    static RunningAdmin start(PoolLimits limits) throws IOException {
        return new RunningAdmin(limits, null);
    }

    static RunningAdmin startWithToken(String token) throws IOException {
        return new RunningAdmin(PoolLimits.DEFAULT, AccessToken.of(token));
    }

    /**
     * Starts processes of {@link #HOLDS}.
     *
     * @param window how many requests each takes
     */
    void supervise(int processes, int window) {
        supervise(HOLDS, processes, window);
    }

    void supervise(List<String> command, int processes, int window) {
        Map<String, String> environment = Map.of("WINDOW", Integer.toString(window));
        pool.supervise(
                new WorkerCommand(command, environment, socket.path()),
                processes,
                new ProcessStarter(System.getenv("PATH")));
    }

    /** As a reload does that removes the pool. */
    void retire() {
        retiring.add(pool);
        serving.remove(pool);
        var _ = pool.retire();
    }

    /** A worker that comes by itself, takes one request and reads nothing; it ends with this. */
    TestWorker join() throws Exception {
        int before = awaitPool(each -> true).getJsonArray("workers").size();
        TestWorker worker = TestWorker.connect(socket.path());
        sockets.add(worker);
        worker.send(TestWorker.hello(1));
        awaitPool(each -> each.getJsonArray("workers").size() > before);
        return worker;
    }

    Path workerSocket() {
        return socket.path();
    }

    HttpResponse<String> get(String path, String... headers) throws Exception {
        return send(request(path, headers).GET().build());
    }

    HttpResponse<String> post(String path, String json) throws Exception {
        HttpRequest.BodyPublisher body =
                json.isEmpty()
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofString(json);
        HttpRequest.Builder builder = request(path).POST(body);
        return send(
                (json.isEmpty() ? builder : builder.header("content-type", "application/json"))
                        .build());
    }

    /** The same, without waiting for the response; there is no body. */
    CompletableFuture<HttpResponse<String>> posting(String path) {
        HttpRequest.BodyPublisher nothing = HttpRequest.BodyPublishers.noBody();
        return client.sendAsync(request(path).POST(nothing).build(), BodyHandlers.ofString());
    }

    HttpResponse<String> send(HttpRequest request) throws Exception {
        return client.send(request, BodyHandlers.ofString());
    }

    HttpRequest.Builder request(String path, String... headers) {
        HttpRequest.Builder builder =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + admin.port() + path));
        return headers.length == 0 ? builder : builder.headers(headers);
    }

    JsonObject json(String path) throws Exception {
        return parse(get(path));
    }

    static JsonObject parse(HttpResponse<String> response) {
        return Json.createReader(new StringReader(response.body())).readObject();
    }

    /** Asks until the response is as wanted; the test's timeout is the deadline. */
    JsonObject await(String path, Predicate<JsonObject> wanted) throws Exception {
        JsonObject found = json(path);
        while (!wanted.test(found)) {
            found = json(path);
        }
        return found;
    }

    /** A loop that was held up may need a moment to turn again. */
    void awaitLive() throws Exception {
        while (!get("/live").body().equals("live\n")) {
            Thread.onSpinWait();
        }
    }

    /** What {@code /stats} says once every loop has answered, and none is shown as it was last. */
    JsonObject stats() throws Exception {
        return await(
                "/stats",
                found ->
                        found.getJsonArray("loops").stream()
                                .allMatch(loop -> loop.asJsonObject().getBoolean("responsive")));
    }

    void awaitReady() throws Exception {
        HttpResponse<String> ready = get("/ready");
        while (ready.statusCode() != 200) {
            ready = get("/ready");
        }
    }

    JsonObject awaitPool(Predicate<JsonObject> wanted) throws Exception {
        Predicate<JsonArray> isWanted =
                pools -> !pools.isEmpty() && wanted.test(pools.getJsonObject(0));
        return await("/workers", found -> isWanted.test(found.getJsonArray("pools")))
                .getJsonArray("pools")
                .getJsonObject(0);
    }

    /** Sends these bytes to the admin server, and reads up to the end. */
    String raw(String bytes) throws IOException {
        try (RawClient connection = new RawClient(admin.port())) {
            return connection.send(bytes).readToEnd();
        }
    }

    /** A connection that stays open until this ends, or the test closes it. */
    RawClient open(int port) throws IOException {
        RawClient connection = new RawClient(port);
        sockets.add(connection);
        return connection;
    }

    /** Asks the pool for something, and does not read the response. */
    RawClient ask(String target, String... fields) throws IOException {
        return open(http.port()).get(target, fields);
    }

    private void stopLoops() {
        try {
            loops.stop();
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        for (Closeable each : sockets) {
            each.close();
        }
        http.stop();
        // Those that hold a request do so for ever.
        for (int i = 1; i <= MOST_PROCESSES; i++) {
            pool.killWorker("default-" + i).orTimeout(20, TimeUnit.SECONDS).join();
        }
        pool.drain().orTimeout(20, TimeUnit.SECONDS).join();
        socket.close().orTimeout(20, TimeUnit.SECONDS).join();
        admin.stop();
        stopLoops();
        client.close();
        Files.delete(folder);
    }
}
