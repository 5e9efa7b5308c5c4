package dev.handoff.launcher.check;

import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Message;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * One connection of the worker, seen by the core that is played to it: what it is told, and what is
 * awaited of it. For the thread of the case.
 */
final class Conversation implements AutoCloseable {
    /** A response that is longer is cancelled, as it may have no end: it counts as an answer. */
    private static final int ENOUGH_BYTES = 4 * 1024 * 1024;

    private static final Duration ENOUGH_TIME = Duration.ofMillis(300);

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** The core stops reading only in frames that are longer. */
    private static final long HELD_BEHIND_BYTES = 16 * 1024;

    private final Terms terms;
    private final Duration timeout;
    private final Transcript transcript;
    private final Wire wire;
    private final Heard heard;

    private boolean welcomed;
    private long lastId;

    /** Whether the core has said what ends the connection. */
    private boolean ending;

    /**
     * @param timeout how long to wait for anything that is awaited
     */
    Conversation(SocketChannel channel, Terms terms, Duration timeout, Transcript transcript) {
        this.terms = terms;
        this.timeout = timeout;
        this.transcript = transcript;
        this.heard = new Heard(terms, transcript);
        this.wire = new Wire(channel, terms);
    }

    // What the core says.

    void send(Frame frame) {
        transcript.sent(frame.shown());
        wire.send(frame.bytes());
    }

    /** Sends several frames in one write. */
    void send(List<Frame> frames) {
        for (int i = 0; i < frames.size(); i++) {
            // The first ones are like the last.
            if (i == 0 || i >= frames.size() - 2) {
                transcript.sent(frames.get(i).shown());
            } else if (i == 1) {
                transcript.sent("(%d more like it)".formatted(frames.size() - 3));
            }
        }
        transcript.sent("(these %d frames in one write)".formatted(frames.size()));
        wire.send(Frame.bytesOf(frames));
    }

    /** Notes what was done to the process. */
    void noteSent(String what) {
        transcript.sent(what);
    }

    void send(Message message) {
        send(frame(message));
    }

    /** The frame of a message that is sent next. */
    Frame frame(Message message) {
        ending |= message instanceof Message.Drain || message instanceof Message.Refused;
        return Frame.of(message);
    }

    /** Sends a frame, and in the same write the first bytes of the next one. */
    void sendWithStartOf(Frame whole, Frame next, int bytes) {
        transcript.sent(whole.shown());
        transcript.sent("in the same write %d bytes of: %s".formatted(bytes, next.shown()));
        wire.send(Arrays.copyOf(Frame.bytesOf(List.of(whole, next)), whole.bytes().length + bytes));
    }

    /** Sends the rest of a frame byte by byte. */
    void trickle(Frame frame, int from) throws InterruptedException {
        transcript.sent("the rest byte by byte");
        for (int i = from; i < frame.bytes().length; i++) {
            wire.send(new byte[] {frame.bytes()[i]});
            TimeUnit.MICROSECONDS.sleep(200);
        }
    }

    /** An id that was never used, for a request that {@link #expect} tells of. */
    long nextId() {
        return ++lastId;
    }

    /** Notes that a request with this id is sent: an answer is awaited. */
    Answer expect(long id) {
        return heard.expect(id);
    }

    /** Sends a request when the window has room for it. */
    Answer request(Asked asked) throws RuleBroken, InterruptedException {
        awaitRoom();
        long id = nextId();
        Answer answer = expect(id);
        send(Frame.of(asked.message(id)));
        return answer;
    }

    void cancel(Answer answer, CancelReason reason) {
        send(new Message.Cancel(answer.id(), reason));
    }

    void grant(Answer answer, long bytes) {
        answer.grant(bytes);
        send(new Message.Credit(answer.id(), bytes));
    }

    /** Ends the output, as the core does when a drain is over. */
    void endOutput() {
        transcript.sent("the end of the stream");
        wire.endOutput();
    }

    /** Stops reading in the next frame, as the core may do in a large one. */
    void holdReading() {
        transcript.sent("(the core stops reading in the next frame)");
        wire.input().holdBehind(HELD_BEHIND_BYTES);
    }

    /** Waits until the worker writes a frame that is not read on. */
    boolean awaitHeld() throws InterruptedException {
        return wire.input().awaitHeld(timeout);
    }

    void goOnReading() {
        transcript.sent("(the core reads on)");
        wire.input().goOn();
    }

    // What the worker says.

    Message.Hello awaitHello() throws RuleBroken, InterruptedException {
        await("a hello", inTime(), () -> heard.hello() != null);
        return hello();
    }

    private Message.Hello hello() {
        Message.Hello said = heard.hello();
        if (said == null) {
            throw new IllegalStateException("no hello has come");
        }
        return said;
    }

    void welcome() {
        welcome(Frame.of(terms.welcome(hello())));
    }

    void welcome(Frame welcome) {
        welcomed = true;
        send(welcome);
    }

    /** What {@link #welcome()} sends. */
    Message.Welcome usualWelcome() {
        return terms.welcome(hello());
    }

    boolean isWelcomed() {
        return welcomed;
    }

    /** What it has said so far. */
    Heard heard() {
        return heard;
    }

    void awaitWindow(Duration longest) throws RuleBroken, InterruptedException {
        await("a window that is not 0", longest, () -> heard.window() > 0);
    }

    int window() {
        return heard.window();
    }

    private void awaitRoom() throws RuleBroken, InterruptedException {
        await("room in the window", timeout, () -> heard.inWindow() < heard.window());
    }

    /** Waits for the whole answer. */
    Answer await(Answer answer) throws RuleBroken, InterruptedException {
        awaitHead(answer);
        long begun = System.nanoTime();
        boolean cancelled = false;
        while (answer.isStreaming()) {
            boolean enough =
                    answer.bodyBytes() > ENOUGH_BYTES
                            || System.nanoTime() - begun > ENOUGH_TIME.toNanos();
            if (enough && !cancelled) {
                // It may be a stream without an end.
                cancelled = true;
                cancel(answer, CancelReason.CLIENT_GONE);
            }
            long had = answer.bodyBytes();
            if (cancelled) {
                await("the last piece for the id " + answer.id(), timeout, answer::isOver);
            } else {
                tryAwait(ENOUGH_TIME, () -> answer.isOver() || answer.bodyBytes() > had);
                if (answer.bodyBytes() > had && !answer.isOver()) {
                    grant(answer, answer.bodyBytes() - had);
                }
            }
        }
        return answer;
    }

    /** Waits until the worker has begun to answer. */
    void awaitHead(Answer answer) throws RuleBroken, InterruptedException {
        await("an answer to the id " + answer.id(), timeout, () -> !answer.isInWindow());
    }

    /** Waits for all whole answers. */
    void awaitAll(Collection<Answer> all) throws RuleBroken, InterruptedException {
        for (Answer each : all) {
            await(each);
        }
    }

    /** The core waits no longer for hello and pong. */
    private Duration inTime() {
        return timeout.compareTo(PATIENCE) < 0 ? timeout : PATIENCE;
    }

    void awaitPongs(int count) throws RuleBroken, InterruptedException {
        await(count == 1 ? "a pong" : count + " pongs", inTime(), () -> heard.pongs() >= count);
        heard.forgetPongs(count);
    }

    /** Waits for the end of the connection, or a frame for which the core would end it. */
    void awaitEnd(String why) throws RuleBroken, InterruptedException {
        boolean came = waitFor(timeout, heard::isOver);
        if (!came) {
            throw new RuleBroken(
                    "the worker keeps the connection " + inWords(timeout) + " after " + why);
        }
    }

    /** Throws where a frame has broken a rule. */
    void requireNoFault() throws RuleBroken {
        String fault = heard.fault();
        if (fault != null) {
            throw new RuleBroken(fault);
        }
    }

    /** Whether nothing is under way, so that another case may go on with this worker. */
    boolean isIdle() {
        return welcomed
                && heard.window() > 0
                && !heard.isOver()
                && !heard.drains()
                && !ending
                && heard.held().isEmpty();
    }

    /** How many bytes have come in all. */
    long cameBytes() {
        return wire.input().cameBytes();
    }

    /**
     * Waits until a condition holds.
     *
     * @param what in words, to follow "awaited"
     */
    void await(String what, Duration longest, BooleanSupplier condition)
            throws RuleBroken, InterruptedException {
        if (waitFor(longest, condition)) {
            return;
        }
        throw new RuleBroken(
                heard.isOver()
                        ? heard.howItEnded() + "; awaited was " + what
                        : "awaited was %s, and nothing like it came within %s"
                                .formatted(what, inWords(longest)));
    }

    /** The same, where it is no fault that it does not. A connection that ends is one. */
    boolean tryAwait(Duration longest, BooleanSupplier condition)
            throws RuleBroken, InterruptedException {
        boolean holds = waitFor(longest, condition);
        if (!holds && heard.isOver()) {
            throw new RuleBroken(heard.howItEnded());
        }
        return holds;
    }

    /** The same, where the end is no fault either. */
    boolean waitFor(Duration longest, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + longest.toNanos();
        while (!condition.getAsBoolean()) {
            long left = deadline - System.nanoTime();
            FrameSource.Came came =
                    heard.isOver() || left <= 0 ? null : wire.next(Duration.ofNanos(left));
            if (came == null) {
                return false;
            }
            heard.take(came);
        }
        return true;
    }

    /** Whether anything comes in that time. */
    boolean waitForAny(Duration longest) throws InterruptedException {
        FrameSource.Came came = wire.next(longest);
        if (came != null) {
            heard.take(came);
        }
        return came != null;
    }

    /** A time of a plan, in seconds where it has whole ones. */
    static String inWords(Duration time) {
        return time.toMillis() % 1000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
    }

    @Override
    public void close() {
        wire.close();
    }
}
