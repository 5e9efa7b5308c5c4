package dev.handoff.admin.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.server.ConnectionEnd;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever floods the admin server keeps nobody else out of it. */
@Timeout(60)
class FloodTest {
    /** More than the admin server has places. */
    private static final int MANY = 300;

    private RunningAdmin admin;

    @BeforeEach
    void start() throws Exception {
        admin = RunningAdmin.start();
    }

    @AfterEach
    void stop() throws Exception {
        admin.close();
    }

    @Test
    void answersBesideConnectionsThatSayNothing() throws Exception {
        for (int i = 0; i < MANY; i++) {
            admin.open(admin.admin.port());
        }
        assertLives();
    }

    @Test
    void answersBesideHeadsThatDoNotEnd() throws Exception {
        flood("GET /live HTTP/1.1\r\nHost: local");
        assertLives();
    }

    @Test
    void answersBesideBodiesThatDoNotEnd() throws Exception {
        flood("POST /drain HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n{");
        assertLives();
    }

    @Test
    void answersBesideClientsThatDoNotReadTheirAnswers() throws Exception {
        flood("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(50));
        assertLives();
    }

    @Test
    void takesNoBodyBeyondItsLimit() throws Exception {
        String head =
                "POST /drain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
        assertTrue(admin.raw(head + "Content-Length: 65537\r\n\r\n").startsWith("HTTP/1.1 413 "));
        String atLimit = "{}" + " ".repeat(65_534);
        String answer =
                admin.raw(head + "Connection: close\r\nContent-Length: 65536\r\n\r\n" + atLimit);
        assertTrue(answer.startsWith("HTTP/1.1 202 "), answer);
    }

    private void flood(String bytes) throws Exception {
        for (int i = 0; i < MANY; i++) {
            Socket connection = admin.open(admin.admin.port());
            connection.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    /** Places are given up at once, and not when they have been idle for long enough. */
    private void assertLives() throws Exception {
        for (int i = 0; i < 10; i++) {
            assertEquals("live\n", admin.get("/live", "x-attempt", Integer.toString(i)).body());
        }
        assertTrue(admin.ends.contains(ConnectionEnd.DISPLACED), admin.ends.toString());
    }
}
