package dev.handoff.launcher.check;

import dev.handoff.process.protocol.CancelReason;
import dev.handoff.process.protocol.Message;
import dev.handoff.process.protocol.ProtocolFault;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One connection of the worker, seen by the core that is played to it. For the thread of the case;
 * two threads of its own read and write, so that neither waits for the other.
 */
final class Conversation implements AutoCloseable {
    /** A response that is longer is cancelled, as it may have no end: it counts as an answer. */
    private static final int ENOUGH_BYTES = 4 * 1024 * 1024;

    private static final Duration ENOUGH_TIME = Duration.ofMillis(300);

    private final SocketChannel channel;
    private final Terms terms;
    private final Duration timeout;
    private final Transcript transcript;
    private final Reading reading;
    private final BlockingQueue<FrameSource.Came> incoming = new LinkedBlockingQueue<>();
    private final BlockingQueue<byte[]> outgoing = new LinkedBlockingQueue<>();
    private final Thread reader;
    private final Thread writer;

    /** By id, those that are over included until {@link #forgetAnswered}. */
    private final Map<Long, Answer> answers = new LinkedHashMap<>();

    private final List<String> strays = new ArrayList<>();

    private Message.@Nullable Hello hello;
    private boolean welcomed;
    private int window;
    private long lastId;
    private int pongs;
    private boolean drains;

    /** Whether the core has said what ends the connection. */
    private boolean ending;

    private @Nullable String fault;
    private @Nullable String end;

    /**
     * @param timeout how long to wait for anything that is awaited
     */
    Conversation(SocketChannel channel, Terms terms, Duration timeout, Transcript transcript) {
        this.channel = channel;
        this.terms = terms;
        this.timeout = timeout;
        this.transcript = transcript;
        this.reading = new Reading(Channels.newInputStream(channel));
        FrameSource source = new FrameSource(reading, terms.limits());
        reader = Thread.ofVirtual().start(() -> read(source));
        writer = Thread.ofVirtual().start(this::write);
    }

    private void read(FrameSource source) {
        FrameSource.Came came;
        do {
            came = source.next();
            incoming.add(came);
        } while (came instanceof FrameSource.Whole);
    }

    private void write() {
        try {
            while (true) {
                byte[] bytes = outgoing.take();
                if (bytes.length == 0) {
                    channel.shutdownOutput();
                    return;
                }
                ByteBuffer left = ByteBuffer.wrap(bytes);
                while (left.hasRemaining()) {
                    channel.write(left);
                }
            }
        } catch (IOException | InterruptedException over) {
            // The reader notices the end too, and tells it.
        }
    }

    // What the core says.

    void send(Frame frame) {
        transcript.sent(frame.shown());
        outgoing.add(frame.bytes());
    }

    /** Notes what was done to the process. */
    void noteSent(String what) {
        transcript.sent(what);
    }

    void send(Message message) {
        ending |= message instanceof Message.Drain || message instanceof Message.Refused;
        send(Frame.of(message));
    }

    /** Sends a frame byte by byte. */
    void trickle(Frame frame) throws InterruptedException {
        transcript.sent("byte by byte: " + frame.shown());
        for (byte each : frame.bytes()) {
            outgoing.add(new byte[] {each});
            TimeUnit.MICROSECONDS.sleep(200);
        }
    }

    /** An id that was never used, for a request that {@link #expect} tells of. */
    long nextId() {
        return ++lastId;
    }

    /** Notes that a request with this id is sent: an answer is awaited. */
    Answer expect(long id) {
        Message.Hello said = hello;
        Answer answer = new Answer(id, terms.streamBytes(), said == null ? 0 : said.streamBytes());
        answers.put(id, answer);
        return answer;
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
        outgoing.add(new byte[0]);
    }

    /** Reads nothing until it is told to go on, as the core may do in a large frame. */
    void holdReading() {
        transcript.sent("(the core stops reading)");
        reading.hold();
    }

    void goOnReading() {
        transcript.sent("(the core reads on)");
        reading.goOn();
    }

    // What the worker says.

    Message.Hello awaitHello() throws RuleBroken, InterruptedException {
        await("a hello", timeout, () -> hello != null);
        return hello();
    }

    private Message.Hello hello() {
        Message.Hello said = hello;
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

    /** Whether hello and welcome both name a feature. */
    boolean has(String feature) {
        Message.Hello said = hello;
        return said != null
                && said.features().contains(feature)
                && terms.features().contains(feature);
    }

    void awaitWindow(Duration longest) throws RuleBroken, InterruptedException {
        await("a window that is not 0", longest, () -> window > 0);
    }

    int window() {
        return window;
    }

    private void awaitRoom() throws RuleBroken, InterruptedException {
        await("room in the window", timeout, () -> inWindow() < window);
    }

    private long inWindow() {
        return answers.values().stream().filter(Answer::isInWindow).count();
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
            int had = answer.bodyBytes();
            if (cancelled) {
                await("the last piece for the id " + answer.id(), timeout, answer::isOver);
            } else {
                tryAwait(ENOUGH_TIME, () -> answer.isOver() || answer.bodyBytes() > had);
                if (answer.bodyBytes() > had && !answer.isOver()) {
                    grant(answer, answer.bodyBytes() - (long) had);
                }
            }
        }
        return answer;
    }

    /** Waits until the worker has begun to answer. */
    void awaitHead(Answer answer) throws RuleBroken, InterruptedException {
        await("an answer to the id " + answer.id(), timeout, () -> !answer.isInWindow());
    }

    /** The requests that are not answered. */
    List<Answer> held() {
        return answers.values().stream().filter(each -> !each.isOver()).toList();
    }

    /** Waits for all whole answers. */
    void awaitAll(Collection<Answer> all) throws RuleBroken, InterruptedException {
        for (Answer each : all) {
            await(each);
        }
    }

    void awaitPongs(int count) throws RuleBroken, InterruptedException {
        await(count == 1 ? "a pong" : count + " pongs", timeout, () -> pongs >= count);
        pongs -= count;
    }

    /** Whether the worker has said drain. */
    boolean drains() {
        return drains;
    }

    /** Waits for the end of the connection, or a frame for which the core would end it. */
    void awaitEnd(String why) throws RuleBroken, InterruptedException {
        boolean came = waitFor(timeout, () -> isOver());
        if (!came) {
            throw new RuleBroken(
                    "the worker keeps the connection " + inWords(timeout) + " after " + why);
        }
    }

    /** Throws where a frame has broken a rule. */
    void requireNoFault() throws RuleBroken {
        if (fault != null) {
            throw new RuleBroken(fault);
        }
    }

    /** Whether nothing more can come. */
    boolean isOver() {
        return end != null || fault != null;
    }

    /** How it ended, or an empty text. */
    String howItEnded() {
        return fault != null ? fault : end != null ? end : "";
    }

    /** Responses to ids that await none, as the worker wrote them. */
    List<String> strays() {
        return List.copyOf(strays);
    }

    /** Whether nothing is under way, so that another case may go on with this worker. */
    boolean isIdle() {
        return welcomed
                && window > 0
                && !isOver()
                && !drains
                && !ending
                && answers.values().stream().allMatch(Answer::isOver);
    }

    void forgetAnswered() {
        answers.values().removeIf(Answer::isOver);
        strays.clear();
    }

    /** How many bytes have come in all. */
    long cameBytes() {
        return reading.cameBytes();
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
                isOver()
                        ? howItEnded() + "; awaited was " + what
                        : "within " + inWords(longest) + " did not come " + what);
    }

    /** The same, where it is no fault that it does not. A connection that ends is one. */
    boolean tryAwait(Duration longest, BooleanSupplier condition)
            throws RuleBroken, InterruptedException {
        boolean holds = waitFor(longest, condition);
        if (!holds && isOver()) {
            throw new RuleBroken(howItEnded());
        }
        return holds;
    }

    /** The same, where the end is no fault either. */
    boolean waitFor(Duration longest, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + longest.toNanos();
        while (!condition.getAsBoolean()) {
            long left = deadline - System.nanoTime();
            FrameSource.Came came =
                    isOver() || left <= 0 ? null : incoming.poll(left, TimeUnit.NANOSECONDS);
            if (came == null) {
                return false;
            }
            take(came);
        }
        return true;
    }

    /** Whether anything comes in that time. */
    boolean waitForAny(Duration longest) throws InterruptedException {
        FrameSource.Came came = incoming.poll(longest.toNanos(), TimeUnit.NANOSECONDS);
        if (came != null) {
            take(came);
        }
        return came != null;
    }

    private void take(FrameSource.Came came) {
        switch (came) {
            case FrameSource.Whole whole -> {
                transcript.came(whole.shown());
                // A decoder that reads a worker gives what a worker says.
                take((Message.FromWorker) whole.message(), whole.json());
            }
            case FrameSource.Fault(var refused, String json) -> {
                transcript.came(json.isEmpty() ? "a frame that breaks a rule" : json);
                fault =
                        "a frame broke the rule "
                                + refused.fault().wireName()
                                + ": "
                                + refused.inWords();
            }
            case FrameSource.End(String how) -> {
                transcript.came("the end of the connection");
                end = how;
            }
        }
    }

    private void take(Message.FromWorker message, String json) {
        if (hello == null && !(message instanceof Message.Hello)) {
            fault = rule(ProtocolFault.OUT_OF_ORDER);
            return;
        }
        switch (message) {
            case Message.Hello said -> {
                if (hello != null) {
                    fault = rule(ProtocolFault.OUT_OF_ORDER);
                }
                hello = said;
                window = said.concurrency();
            }
            case Message.Capacity capacity -> window = capacity.concurrency();
            case Message.Drain _ -> drains = true;
            case Message.Pong _ -> pongs++;
            case Message.Credit(long id, long bytes) -> {
                Answer answer = answers.get(id);
                if (answer != null) {
                    answer.uploadGranted(bytes);
                }
            }
            case Message.OfRequest said -> take(said, json);
        }
    }

    private void take(Message.OfRequest said, String json) {
        if (!mayBe(said)) {
            fault = rule(ProtocolFault.UNNAMED_FEATURE);
            return;
        }
        Answer answer = answers.get(said.id());
        if (answer == null || answer.isOver()) {
            strays.add(json);
        } else {
            answer.take(said, json);
        }
    }

    /** Whether a message belongs to the version, or to a feature that both have named. */
    private boolean mayBe(Message.OfRequest said) {
        return switch (said) {
            case Message.WebSocketMessage message ->
                    has(Message.WEBSOCKETS) && (!message.unfinished() || has(Message.FRAGMENTS));
            case Message.Close _ -> has(Message.WEBSOCKETS);
            case Message.Response response when response.response().status() == 101 ->
                    has(Message.WEBSOCKETS) || !response.more();
            case Message.Response response -> !response.more() || has(Message.STREAMS);
            case Message.Data _ -> has(Message.STREAMS);
            case Message.Failure _ -> true;
        };
    }

    private static String rule(ProtocolFault broken) {
        return "a frame broke the rule " + broken.wireName() + ": " + broken.message();
    }

    private static String inWords(Duration time) {
        return time.toMillis() % 1000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
    }

    @Override
    public void close() {
        reading.goOn();
        try {
            channel.close();
        } catch (IOException alreadyBroken) {
            // It is over in any case.
        }
        reader.interrupt();
        writer.interrupt();
    }

    /** The bytes of the worker, which can be left unread for a while. */
    private static final class Reading extends InputStream {
        private final InputStream in;
        private final Object gate = new Object();
        private boolean held;
        private long cameBytes;

        Reading(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            synchronized (gate) {
                while (held) {
                    try {
                        gate.wait();
                    } catch (InterruptedException closed) {
                        throw new IOException("closed", closed);
                    }
                }
            }
            int count = in.read(bytes, from, length);
            synchronized (gate) {
                cameBytes += Math.max(0, count);
            }
            return count;
        }

        void hold() {
            synchronized (gate) {
                held = true;
            }
        }

        void goOn() {
            synchronized (gate) {
                held = false;
                gate.notifyAll();
            }
        }

        long cameBytes() {
            synchronized (gate) {
                return cameBytes;
            }
        }
    }
}
