package dev.handoff.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Descriptors are limited per process, so the loop that runs out of them has one of its own. */
@Timeout(60)
@DisabledOnOs(OS.WINDOWS)
class OutOfDescriptorsTest {
    private static final int DESCRIPTORS = 100;

    @Test
    void acceptsAgainWhenDescriptorsAreFreeAgain() throws IOException, InterruptedException {
        Process process = startEcho();
        try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
            int port = Integer.parseInt(said.readLine());
            List<Socket> clients = new ArrayList<>();
            for (int i = 0; i < DESCRIPTORS; i++) {
                clients.add(new Socket(InetAddress.getLoopbackAddress(), port));
            }
            assertEquals(EchoProcess.ACCEPT_FAILED, said.readLine());
            for (Socket client : clients) {
                client.close();
            }

            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
                client.getOutputStream().write('x');
                assertEquals('x', client.getInputStream().read());
            }
        } finally {
            process.destroyForcibly();
            process.waitFor();
        }
    }

    private static Process startEcho() throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String shell = "ulimit -n " + DESCRIPTORS + " && exec \"$0\" -Xshare:auto -cp \"$1\" $2";
        return new ProcessBuilder(
                        "sh",
                        "-c",
                        shell,
                        java,
                        System.getProperty("java.class.path"),
                        EchoProcess.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
