package dev.handoff.process.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import jdk.net.UnixDomainPrincipal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class PeerNamesTest {
    private final CountDownLatch directoryAnswers = new CountDownLatch(1);
    private final Semaphore answered = new Semaphore(0);
    private final List<String> answers = new ArrayList<>();
    private TestLoops loops;
    private SocketChannel channel;

    @BeforeEach
    void startLoops() throws IOException {
        loops = new TestLoops(1);
        channel = SocketChannel.open();
    }

    @AfterEach
    void stopLoops() throws IOException {
        loops.close();
        channel.close();
    }

    @Test
    void theLoopTurnsWhileTheSystemLooksANameUp() throws Exception {
        PeerNames names = new PeerNames(loops.first(), this::asksADirectory);
        ask(names, 1);
        assertEquals(List.of(), told());
        directoryAnswers.countDown();
        awaitAnswers(1);
        assertEquals(
                List.of("bad_user: the system does not say which user connects: no such user"),
                told());
        names.close();
    }

    @Test
    void soManyWaitAndNoMore() throws Exception {
        PeerNames names = new PeerNames(loops.first(), this::asksADirectory);
        ask(names, PeerNames.MOST_ASKED + 1);
        assertEquals(
                List.of("too_many_newcomers: 1024 others wait for the system to name their user"),
                told());
        directoryAnswers.countDown();
        awaitAnswers(PeerNames.MOST_ASKED + 1);
        ask(names, 1);
        awaitAnswers(1);
        names.close();
    }

    private UnixDomainPrincipal asksADirectory(SocketChannel asked) throws IOException {
        try {
            directoryAnswers.await();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
        throw new IOException("no such user");
    }

    private void ask(PeerNames names, int times) {
        loops.first()
                .execute(() -> {
                    for (int i = 0; i < times; i++) {
                        names.ask(
                                channel,
                                new PeerNames.Listener() {
                                    @Override
                                    public void known(UnixDomainPrincipal peer) {
                                        tell(peer.user().getName());
                                    }

                                    @Override
                                    public void unknown(String code, String why) {
                                        tell(code + ": " + why);
                                    }
                                });
                    }
                });
        loops.awaitIdle();
    }

    private void tell(String answer) {
        answers.add(answer);
        answered.release();
    }

    private List<String> told() {
        return TestLoops.on(loops.first(), () -> List.copyOf(answers));
    }

    private void awaitAnswers(int more) throws InterruptedException {
        assertTrue(answered.tryAcquire(more, 20, TimeUnit.SECONDS), "no answer came");
    }
}
