package dev.handoff.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;

/** Hands all content over as it comes, and keeps it for the test to look at. */
final class GatheredContent implements ContentStore {
    /** What has come of requests that are complete, in their order. */
    final Queue<Body> ended = new ArrayDeque<>();

    /** How many requests ended before their content. */
    int discarded;

    @Override
    public int memoryBytes() {
        return Integer.MAX_VALUE;
    }

    @Override
    public Storing begin() {
        throw new IllegalStateException("all content is handed over");
    }

    @Override
    public Arriving arrive(Request head, boolean expectsContinue) {
        return new Gathering();
    }

    private final class Gathering implements Arriving {
        private final ByteArrayOutputStream come = new ByteArrayOutputStream();
        private boolean over;

        @Override
        public void add(byte[] bytes, int length) {
            come.write(bytes, 0, length);
        }

        @Override
        public void end() {
            over = true;
            ended.add(Body.of(come.toByteArray()));
        }

        @Override
        public void discard() {
            discarded += over ? 0 : 1;
            over = true;
        }

        @Override
        public int cameBytes() {
            return come.size();
        }

        @Override
        public int unstoredBytes() {
            return 0;
        }

        @Override
        public boolean isFull() {
            return false;
        }

        @Override
        public boolean isReady() {
            return false;
        }

        @Override
        public void letBegin() {}

        @Override
        public ByteBuffer poll(int mostBytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isComplete() {
            return over;
        }

        @Override
        public boolean isOver() {
            return over;
        }

        @Override
        public void whenReady(Runnable action) {}

        @Override
        public void whenComplete(Runnable action) {}

        @Override
        public boolean rewind() {
            return false;
        }

        @Override
        public void forgetTaken() {}

        @Override
        public long slownessNanos() {
            return 0;
        }

        @Override
        public void giveWay() {}
    }
}
