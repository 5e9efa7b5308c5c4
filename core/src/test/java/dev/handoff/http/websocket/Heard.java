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
    private final Compression compression = new Compression();
    private final FrameReader reader;
    private int mostHeldBytes;

    Heard(boolean compressed) {
        reader = new FrameReader(MOST_MESSAGE_BYTES, compressed ? compression : null, this);
    }

    /** The events of bytes that come in portions. */
    static List<String> of(byte[] bytes, boolean compressed, Split split) {
        Heard heard = new Heard(compressed);
        int start = 0;
        for (int cut : split.cuts()) {
            heard.read(Arrays.copyOfRange(bytes, start, cut));
            start = cut;
        }
        heard.read(Arrays.copyOfRange(bytes, start, bytes.length));
        heard.reader.close();
        heard.compression.close();
        return heard.events;
    }

    void read(byte[] portion) {
        int next = 0;
        while (next < portion.length) {
            int before = next;
            int eventsBefore = events.size();
            next = reader.read(portion, next, portion.length);
            mostHeldBytes = Math.max(mostHeldBytes, reader.heldBytes());
            if (next == before || (next < portion.length && events.size() != eventsBefore + 1)) {
                throw new AssertionError("it stops without an event, at " + next);
            }
        }
    }

    List<String> events() {
        return events;
    }

    int mostHeldBytes() {
        return mostHeldBytes;
    }

    @Override
    public void onMessage(boolean text, Body content) {
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
