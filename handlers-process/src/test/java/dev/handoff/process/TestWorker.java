package dev.handoff.process;

import static dev.handoff.testing.TestLoops.PATIENCE;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.handoff.http.Response;
import dev.handoff.process.protocol.Decoded;
import dev.handoff.process.protocol.FrameDecoder;
import dev.handoff.process.protocol.FrameEncoder;
import dev.handoff.process.protocol.FrameLimits;
import dev.handoff.process.protocol.Message;
import dev.handoff.process.protocol.Peer;
import dev.handoff.process.protocol.WholeMessages;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A worker that does what the test says, one step at a time. It reads only when it is asked to. */
public final class TestWorker implements Closeable {
    private final SocketChannel channel;
    private final Selector selector = Selector.open();
    private final FrameEncoder encoder = new FrameEncoder();
    private final FrameDecoder decoder =
            new FrameDecoder(FrameLimits.ofBody(64 * 1024 * 1024), Peer.CORE);
    private final ArrayDeque<Message> received = new ArrayDeque<>();
    private final ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
    private byte[] kept = new byte[0];
    private boolean ended;

    private TestWorker(SocketChannel channel) throws IOException {
        this.channel = channel;
        channel.configureBlocking(false);
    }

    /** Connects and says nothing. */
    public static TestWorker connect(Path socket) throws IOException {
        return new TestWorker(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
    }

    /** Connects, says hello and is welcomed. */
    public static TestWorker join(Path socket, int concurrency) throws IOException {
        TestWorker worker = connect(socket);
        worker.send(hello(concurrency));
        worker.expect(Message.Welcome.class);
        return worker;
    }

    /** The same, of a worker that responds in pieces: so many besides its concurrency. */
    public static TestWorker joinStreaming(Path socket, int concurrency, int streams)
            throws IOException {
        TestWorker worker = connect(socket);
        worker.send(
                streaming(concurrency, List.of(Message.STREAMS, "of a later version"), streams));
        worker.expect(Message.Welcome.class);
        return worker;
    }

    /** The same, of a worker that takes large requests in pieces. */
    public static TestWorker joinUploading(
            Path socket, int concurrency, int bodyBytes, long streamBytes) throws IOException {
        TestWorker worker = connect(socket);
        worker.send(uploading(concurrency, List.of(Message.STREAMS), bodyBytes, streamBytes));
        worker.expect(Message.Welcome.class);
        return worker;
    }

    public static Message.Hello streaming(int concurrency, List<String> features, int streams) {
        return WholeMessages.hello(
                concurrency,
                Message.Hello.DEFAULT_POOL,
                null,
                null,
                0,
                null,
                null,
                null,
                1,
                features,
                streams);
    }

    public static Message.Hello uploading(
            int concurrency, List<String> features, int bodyBytes, long streamBytes) {
        return uploading(concurrency, features, bodyBytes, streamBytes, 0);
    }

    public static Message.Hello uploading(
            int concurrency, List<String> features, int bodyBytes, long streamBytes, int uploads) {
        return new Message.Hello(
                concurrency,
                Message.Hello.DEFAULT_POOL,
                null,
                null,
                0,
                null,
                null,
                null,
                1,
                features,
                concurrency,
                bodyBytes,
                streamBytes,
                uploads);
    }

    public static Message.Hello hello(int concurrency) {
        return hello(concurrency, Message.Hello.DEFAULT_POOL, null, 1);
    }

    public static Message.Hello hello(
            int concurrency, String pool, @Nullable String token, int protocol) {
        return WholeMessages.hello(
                concurrency, pool, token, null, 0, null, null, null, protocol, List.of(), 0);
    }

    public void send(Message... messages) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (Message message : messages) {
            bytes.write(encoder.encode(message));
        }
        sendBytes(bytes.toByteArray());
    }

    /** One write of a message and what comes behind it. */
    public void sendWithBytes(Message message, byte[] behind) throws IOException {
        byte[] frame = encoder.encode(message);
        byte[] both = Arrays.copyOf(frame, frame.length + behind.length);
        System.arraycopy(behind, 0, both, frame.length, behind.length);
        sendBytes(both);
    }

    /** Bytes to be sent later, by {@link #sendKept}. */
    public void keep(byte[] bytes) {
        kept = bytes;
    }

    public void sendKept() throws IOException {
        sendBytes(kept);
    }

    public void sendBytes(byte[] bytes) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        while (rest.hasRemaining()) {
            channel.write(rest);
            if (rest.hasRemaining()) {
                awaitReady(SelectionKey.OP_WRITE);
            }
        }
    }

    /** Waits for the next message, which is a request. */
    public Message.Request request() throws IOException {
        return expect(Message.Request.class);
    }

    public void answer(Message.Request request, String text) throws IOException {
        send(new Message.Response(request.id(), Response.text(200, text)));
    }

    /** Begins a response in pieces. */
    public void begin(Message.Request request, String firstPiece) throws IOException {
        send(new Message.Response(request.id(), Response.text(200, firstPiece), true));
    }

    /** Waits for the next message, which is a request, and answers it. */
    public void answerNext(String text) throws IOException {
        answer(request(), text);
    }

    /** Waits for the next message, which has to be of that type. */
    public <T extends Message> T expect(Class<T> type) throws IOException {
        return assertInstanceOf(type, receive());
    }

    /** Waits until the core has closed; returns what it said before. */
    public List<Message> remaining() throws IOException {
        while (!ended) {
            read();
        }
        return List.copyOf(received);
    }

    /** Reads what there is, without waiting, and tells whether a message is among it. */
    public boolean hasMessage() throws IOException {
        while (!ended && received.isEmpty() && readSome()) {}
        return !received.isEmpty();
    }

    /** Whether the core has closed, as far as was read. */
    public boolean isEnded() {
        return ended;
    }

    /** Reads until the core has ended its output. */
    public void awaitEnd() throws IOException {
        while (!ended) {
            read();
        }
    }

    private Message receive() throws IOException {
        while (received.isEmpty()) {
            if (ended) {
                throw new AssertionError("the core has closed the connection");
            }
            read();
        }
        return received.remove();
    }

    private void read() throws IOException {
        awaitReady(SelectionKey.OP_READ);
        readSome();
    }

    private boolean readSome() throws IOException {
        buffer.clear();
        int count;
        try {
            count = channel.read(buffer);
        } catch (IOException reset) {
            count = -1;
        }
        ended = count < 0;
        int next = 0;
        while (next < count) {
            switch (decoder.decode(buffer.array(), next, count)) {
                case Decoded.Incomplete incomplete -> {}
                case Decoded.Complete(Message message) -> received.add(message);
                case Decoded.Refused refused -> throw new AssertionError(refused);
            }
            next = decoder.consumedTo();
        }
        return count > 0;
    }

    private void awaitReady(int operation) throws IOException {
        channel.register(selector, operation);
        if (selector.select(key -> {}, PATIENCE.toMillis()) == 0) {
            throw new AssertionError("the core is silent");
        }
    }

    /** The end of its process, as far as the core can see. */
    public void die() throws IOException {
        close();
    }

    @Override
    public void close() throws IOException {
        selector.close();
        channel.close();
    }
}
