package dev.handoff.admin.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.handoff.admin.AdminListener;
import dev.handoff.admin.AdminOptions;
import dev.handoff.admin.AdminServer;
import dev.handoff.admin.stats.Counters;
import dev.handoff.admin.stats.ObservedServer;
import dev.handoff.loop.Clock;
import dev.handoff.loop.EventLoops;
import dev.handoff.server.HttpServer;
import dev.handoff.server.ServerOptions;
import dev.handoff.server.files.FileThreads;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The port may be another's for a while, and is tried again and again then. */
@Timeout(60)
class BindTest {
    @Test
    void triesAgainWithTheThreadThatItHas() throws Exception {
        Counters counters = new Counters(1);
        EventLoops loops = EventLoops.start("test", 1, Clock.SYSTEM, counters.loopListener());
        HttpServer http = HttpServer.start(ServerOptions.of(exchange -> {}).withLoops(loops));
        try {
            AdminServer admin;
            int port;
            try (ServerSocket holder = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = holder.getLocalPort();
                admin =
                        AdminServer.prepare(
                                new AdminOptions("127.0.0.1", port, null, 100),
                                new ObservedServer(
                                        loops,
                                        http,
                                        List::of,
                                        List::of,
                                        List::of,
                                        counters,
                                        new FileThreads(1),
                                        Map.of()),
                                new RecordedOperations(),
                                "1.2.3",
                                new AdminListener() {});
                Set<Thread> threads = adminThreads();
                for (int i = 0; i < 3; i++) {
                    assertThrows(BindException.class, admin::bind);
                }
                Set<Thread> more = adminThreads();
                more.removeAll(threads);
                assertEquals(Set.of(), more);
            }
            admin.bind();
            assertEquals(port, admin.port());
            admin.stop();
        } finally {
            http.stop();
            loops.stop();
        }
    }

    /** Also those of earlier tests, which may just be ending. */
    private static Set<Thread> adminThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("handoff-admin"))
                .collect(Collectors.toSet());
    }
}
