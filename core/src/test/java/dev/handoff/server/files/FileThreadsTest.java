package dev.handoff.server.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.loop.EventLoop;
import dev.handoff.loop.TurnedLoop;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A thread reads no more than loops take, and no call waits for ever, also where the system lets
 * the process have no more threads.
 */
class FileThreadsTest {
    private static final int MOST_WAITING = 10;
    private static final int MOST_HANDED_OVER = 2;

    private final TurnedLoop turned;
    private final ScarceThreads scarce = new ScarceThreads();
    private final FileThreads threads =
            new FileThreads(new FileThreads.Limits(1, MOST_WAITING, 1, MOST_HANDED_OVER), scarce);
    private final List<Call> calls = new ArrayList<>();

    FileThreadsTest() throws IOException {
        turned = new TurnedLoop();
    }

    @AfterEach
    void close() {
        turned.close();
        threads.close();
    }

    private static final class Call implements DiskCall {
        private final EventLoop loop;
        volatile boolean ran;
        volatile boolean isRefused;
        volatile boolean isAbandoned;

        Call(EventLoop loop) {
            this.loop = loop;
        }

        @Override
        public EventLoop loop() {
            return loop;
        }

        @Override
        public boolean isAbandoned() {
            return isAbandoned;
        }

        @Override
        public void run() {
            ran = true;
        }

        @Override
        public void refuse() {
            isRefused = true;
        }
    }

    private Call begin(EventLoop loop) {
        Call call = new Call(loop);
        calls.add(call);
        threads.begin(call);
        return call;
    }

    private long ran() {
        ServedFolder.awaitIdle(threads);
        return calls.stream().filter(call -> call.ran).count();
    }

    @Test
    void beginsCallsAsTheirLoopTakesWhatEarlierOnesGave() {
        for (int i = 0; i < 5; i++) {
            begin(turned.loop);
        }
        assertEquals(2, ran());
        assertEquals(3, threads.handover().waiting());
        turned.turn();
        assertEquals(4, ran());
        turned.turn();
        assertEquals(5, ran());
        turned.turn();
        assertEquals(0, threads.handover().taken());
        assertEquals(0, threads.waiting());
        assertTrue(calls.stream().noneMatch(call -> call.isRefused));
    }

    /** What it takes in one turn it sends at the end of that. */
    @Test
    void beginsNoneWhileTheirLoopIsInTheMiddleOfATurn() {
        AtomicLong seen = new AtomicLong();
        for (int i = 0; i < 5; i++) {
            begin(turned.loop);
        }
        assertEquals(2, ran());
        turned.loop.execute(() -> seen.set(ran()));
        turned.turn();
        assertEquals(2, seen.get());
        assertEquals(4, ran());
    }

    @Test
    void callsOfALoopThatStopsHoldUpNoOther() throws IOException {
        TurnedLoop stopping = new TurnedLoop();
        begin(stopping.loop);
        begin(stopping.loop);
        Call other = begin(turned.loop);
        assertEquals(2, ran());
        stopping.close();
        assertEquals(3, ran());
        assertTrue(other.ran);
        begin(stopping.loop);
        begin(stopping.loop);
        assertEquals(5, ran());
        turned.turn();
        assertEquals(0, threads.handover().taken());
    }

    @Test
    void forgetsCallsWhoseResponseNobodyWants() {
        begin(turned.loop);
        begin(turned.loop);
        Call left = begin(turned.loop);
        Call stays = begin(turned.loop);
        assertEquals(2, ran());
        left.isAbandoned = true;
        threads.forget(left);
        assertEquals(1, threads.handover().waiting());
        turned.turn();
        assertEquals(3, ran());
        assertTrue(stays.ran);
        assertFalse(left.ran);
    }

    @Test
    void keepsNoCallThatWasAbandonedBeforeItsTurn() {
        begin(turned.loop);
        begin(turned.loop);
        Call left = new Call(turned.loop);
        left.isAbandoned = true;
        threads.begin(left);
        assertEquals(2, ran());
        assertEquals(0, threads.handover().waiting());
    }

    @Test
    void refusesCallsForWhichNoThreadStarts() {
        scarce.exhausted(true);
        for (int i = 0; i < 2 * MOST_WAITING; i++) {
            assertTrue(begin(turned.loop).isRefused);
        }
        assertEquals(0, threads.waiting());
        assertEquals(2 * MOST_WAITING, threads.refused());
        scarce.exhausted(false);
        Call later = begin(turned.loop);
        assertEquals(1, ran());
        assertTrue(later.ran);
    }

    @Test
    void hasOtherThreadsTakeCallsForWhichNoneStarts() {
        FileThreads two =
                new FileThreads(
                        new FileThreads.Limits(2, MOST_WAITING, 1, MOST_HANDED_OVER), scarce);
        CountDownLatch slow = new CountDownLatch(1);
        two.goOn(() -> ServedFolder.awaitQuietly(slow));
        scarce.exhausted(true);
        Call call = new Call(turned.loop);
        two.begin(call);
        assertEquals(1, two.waiting());
        slow.countDown();
        ServedFolder.awaitIdle(two);
        assertTrue(call.ran);
        assertFalse(call.isRefused);
        two.close();
    }

    @Test
    void refusesCallsThatWaitForRoomWhenNoThreadIsLeft() throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            begin(turned.loop);
        }
        assertEquals(2, ran());
        scarce.endThread(threads);
        turned.turn();
        assertEquals(3, calls.stream().filter(call -> call.isRefused).count());
        assertEquals(0, threads.handover().taken());
    }
}
