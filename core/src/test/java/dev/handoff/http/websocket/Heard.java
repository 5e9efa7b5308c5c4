package dev.handoff.http.websocket;

import dev.handoff.http.Body;
import dev.handoff.testing.Splits.Split;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What a reader says of bytes, as lines. */
final class Heard implements FrameReader.Sink {
    static final int MOST_MESSAGE_BYTES = 1000;

    private final List<String> events = new ArrayList<>();
    private final List<Body> messages = new ArrayList<>();
    private final Compression compression = new Compression();
    private final FrameReader reader;
    private final int limit;
    private int mostHeldBytes;

    Heard(boolean compressed) {
        this(MOST_MESSAGE_BYTES, compressed);
    }

    private Heard(int mostMessageBytes, boolean compressed) {
        limit = mostMessageBytes;
        reader = new FrameReader(mostMessageBytes, compressed ? compression : null, this);
    }

    /** The events of bytes that come in portions. */
    static List<String> of(byte[] bytes, boolean compressed, Split split) {
        return of(bytes, MOST_MESSAGE_BYTES, compressed, split);
    }

    static List<String> of(byte[] bytes, int mostMessageBytes, boolean compressed, Split split) {
        Heard heard = new Heard(mostMessageBytes, compressed);
        int start = 0;
        for (int cut : split.cuts()) {
            heard.read(Arrays.copyOfRange(bytes, start, cut));
            start = cut;
        }
        heard.read(Arrays.copyOfRange(bytes, start, bytes.length));
        heard.close();
        return heard.events;
    }

    void close() {
        reader.close();
        compression.close();
    }

    void read(byte[] portion) {
        int next = 0;
        while (next < portion.length || reader.isBehind()) {
            int before = next;
            boolean decompresses = reader.isBehind();
            int eventsBefore = events.size();
            next = reader.read(portion, next, portion.length);
            mostHeldBytes = Math.max(mostHeldBytes, reader.heldBytes());
            // Compressed it may be longer than the limit, by an eighth and a little.
            if (mostHeldBytes > 2 * limit + limit / 8 + 4100 + Compression.INFLATER_BYTES) {
                throw new AssertionError("it holds " + mostHeldBytes + " bytes");
            }
            if ((next == before && !decompresses) || events.size() > eventsBefore + 1) {
                throw new AssertionError("it reads nothing, or more than a frame, at " + next);
            }
        }
    }

    void dropMessages() {
        reader.dropMessages();
    }

    int heldBytes() {
        return reader.heldBytes();
    }

    /** The content of all messages. */
    List<Body> messages() {
        return messages;
    }

    List<String> events() {
        return events;
    }

    int mostHeldBytes() {
        return mostHeldBytes;
    }

    @Override
    public void onMessage(boolean text, Body content) {
        messages.add(content);
        String shown = content.sizeBytes() > 40 ? content.sizeBytes() + " bytes" : content.toUtf8();
        events.add((text ? "text " : "binary ") + shown);
    }

    @Override
    public void onPing(Body payload) {
        events.add("ping " + payload.toUtf8());
    }

    @Override
    public void onPong() {
        events.add("pong");
    }

    @Override
    public void onClose(int code, String reason) {
        events.add("close " + code + " " + reason);
    }

    @Override
    public void onFault(WebSocketFault fault) {
        events.add("fault " + fault);
    }
}
