package dev.handoff.loop;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Keeps the bytes that came, and the other events in their order. */
class RecordingOwner implements StreamSocket.Owner {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    long sentBytes;

    /** How often it was read, or tried to. */
    int reads;

    boolean holdsPeerBack;
    final List<String> events = new ArrayList<>();

    @Override
    public int mostReadBytes() {
        reads++;
        return StreamSocket.Owner.super.mostReadBytes();
    }

    @Override
    public void onBytes(byte[] source, int from, int to) {
        bytes.write(source, from, to - from);
    }

    @Override
    public void onEnd() {
        events.add("end");
    }

    @Override
    public boolean holdsPeerBack() {
        return holdsPeerBack;
    }

    @Override
    public void onSent(long count) {
        sentBytes += count;
    }

    @Override
    public void onFlushed() {
        events.add("flushed");
    }

    @Override
    public void onClosed(CloseCause cause) {
        events.add("closed " + cause);
    }
}
