package dev.handoff.launcher.access;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes what the loops have put into their rings, on a thread of its own: formatting and waiting
 * for a disk or a pipe are no business of an event loop. It sleeps until something comes, then
 * gathers for a moment, so that many lines leave in one write.
 */
final class AccessWriter {
    private static final System.Logger LOG = System.getLogger(AccessWriter.class.getName());
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A write has about this length at most. */
    private static final int WRITE_CHARACTERS = 64 * 1024;

    private final AccessFormat format;
    private final LineSink sink;
    private final List<EntryRing> rings;
    private final AtomicLong dropped = new AtomicLong();
    private final StringBuilder lines = new StringBuilder(WRITE_CHARACTERS + 1024);
    private final Thread thread;

    private volatile boolean asleep;
    private volatile boolean reopening;
    private volatile boolean closing;

    /** How many entries are in {@link #lines}. */
    private int count;

    /** How many are being written: a pipe that nobody reads may never take them. */
    private volatile int leaving;

    private boolean failing;
    private boolean toldBug;
    private final AtomicLong toldDropped = new AtomicLong();
    private long toldNanos = System.nanoTime() - TELL_NANOS;

    AccessWriter(AccessFormat format, LineSink sink, List<EntryRing> rings) {
        this.format = format;
        this.sink = sink;
        this.rings = rings;
        this.thread = Thread.ofPlatform().name("handoff-access-log").daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** After an entry was put into {@code ring}, by its loop. */
    void added(EntryRing ring) {
        if (asleep || ring.isHalfFull()) {
            LockSupport.unpark(thread);
        }
    }

    /** An entry found no room. */
    void drop() {
        dropped.incrementAndGet();
    }

    long droppedLines() {
        return dropped.get();
    }

    void reopen() {
        reopening = true;
        LockSupport.unpark(thread);
    }

    /**
     * Writes the remaining entries and ends; waits for that at most {@code limit}. What is not
     * written by then is dropped.
     */
    void close(Duration limit) {
        closing = true;
        LockSupport.unpark(thread);
        try {
            var _ = thread.join(limit);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            int unwritten = leaving + rings.stream().mapToInt(EntryRing::waiting).sum();
            dropped.addAndGet(unwritten);
            tellRemaining();
        }
    }

    private void run() {
        boolean last = false;
        while (!last) {
            last = closing;
            // Looked at before, so that what was noted until then goes to the old file.
            boolean reopens = reopening;
            boolean much = writeRound();
            tellDropped();
            if (reopens) {
                reopening = false;
                reopenNow();
            }
            if (!last && !much) {
                rest();
            }
        }
        tellRemaining();
    }

    private void rest() {
        if (!areEmpty() || closing || reopening) {
            LockSupport.parkNanos(this, GATHER_NANOS);
            return;
        }
        asleep = true;
        // Who puts an entry looks at asleep afterwards, so one of both sees the other.
        if (areEmpty() && !closing && !reopening) {
            LockSupport.park(this);
        }
        asleep = false;
        if (!closing) {
            LockSupport.parkNanos(this, GATHER_NANOS);
        }
    }

    private boolean areEmpty() {
        for (EntryRing ring : rings) {
            if (!ring.isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Writes what each ring has when its turn comes, but not what comes meanwhile: a loop that is
     * always busy must not keep the others waiting.
     *
     * @return whether it was more than one write takes
     */
    private boolean writeRound() {
        boolean much = false;
        for (EntryRing ring : rings) {
            for (int left = ring.waiting(); left > 0; left--) {
                append(Objects.requireNonNull(ring.poll()));
                if (lines.length() >= WRITE_CHARACTERS) {
                    writeLines();
                    much = true;
                }
            }
        }
        if (count > 0) {
            writeLines();
        }
        return much;
    }

    /** A bug in the format costs the line, not the server. */
    private void append(AccessEntry entry) {
        int before = lines.length();
        try {
            format.append(entry, lines);
            count++;
        } catch (RuntimeException bug) {
            lines.setLength(before);
            dropped.incrementAndGet();
            toldDropped.incrementAndGet();
            if (!toldBug) {
                toldBug = true;
                LOG.log(
                        Level.ERROR,
                        "a bug in Handoff: it cannot make a line of the access log; it drops and counts"
                                + " this one and others like it",
                        bug);
            }
        }
    }

    private void writeLines() {
        byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
        lines.setLength(0);
        int written = count;
        leaving = written;
        count = 0;
        try {
            sink.write(bytes);
            if (failing) {
                failing = false;
                long now = dropped.get();
                LOG.log(
                        Level.INFO,
                        "the access log is written again; lines dropped until then: "
                                + (now - toldDropped.get()));
                toldDropped.set(now);
            }
        } catch (IOException | RuntimeException failure) {
            dropped.addAndGet(written);
            if (!failing) {
                failing = true;
                LOG.log(
                        Level.ERROR,
                        "the access log cannot be written, and lines are dropped until it can: "
                                + failure.getMessage());
            }
        } finally {
            leaving = 0;
        }
    }

    private void tellDropped() {
        long now = System.nanoTime();
        long lost = dropped.get() - toldDropped.get();
        if (lost > 0 && !failing && now - toldNanos >= TELL_NANOS) {
            toldNanos = now;
            toldDropped.addAndGet(lost);
            LOG.log(
                    Level.WARNING,
                    "the access log is not read fast enough; lines dropped: " + lost);
        }
    }

    /** Nothing is told later than at the end, whatever is still wrong then. */
    private void tellRemaining() {
        long lost = dropped.get() - toldDropped.get();
        if (lost > 0) {
            LOG.log(
                    Level.WARNING,
                    "the access log "
                            + (failing ? "could not be written" : "was not read fast enough")
                            + "; lines dropped at the end: "
                            + lost);
        }
    }

    private void reopenNow() {
        try {
            sink.reopen();
        } catch (IOException failure) {
            LOG.log(
                    Level.ERROR,
                    "the access log stays in its old file, since a new one cannot be opened: "
                            + failure.getMessage());
        }
    }
}
