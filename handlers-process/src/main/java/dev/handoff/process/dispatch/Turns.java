package dev.handoff.process.dispatch;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The uploads that may send a frame now, and whose turn it is. Those whose next frames are of about
 * the same size stand in one row and take turns; the rows share by bytes. So a short message waits
 * for other short ones and for about as many bytes of each other row, not for a long message of
 * everybody else.
 *
 * <p>Belongs to the thread of the pool's loop.
 */
final class Turns {
    /**
     * A frame counts for so much at least: to a worker a short one is more work than its bytes. So
     * floods of the shortest leave a piece of 64 KiB every sixteenth turn.
     */
    private static final int LEAST_BYTES = 4 * 1024;

    /** The longest frame of each row but the last, in bytes. */
    private static final int[] LONGEST = {1024, 4 * 1024, 16 * 1024};

    private static final class Row {
        private final Set<Upload> uploads = new LinkedHashSet<>();

        /** How much it has sent; while it was empty, it keeps up with the others. */
        private long sentBytes;
    }

    private final List<Row> rows = new ArrayList<>(LONGEST.length + 1);

    /** What each row has sent at least that has something to send. */
    private long passedBytes;

    /** Whose turn it was last. */
    private @Nullable Row latest;

    Turns() {
        for (int i = 0; i <= LONGEST.length; i++) {
            rows.add(new Row());
        }
    }

    boolean isEmpty() {
        for (Row row : rows) {
            if (!row.uploads.isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Puts an upload behind those whose frames are of its size.
     *
     * @return false if it stands there already
     */
    boolean add(Upload upload) {
        Row row = rowOf(upload);
        if (isEmpty()) {
            passedBytes = 0;
            rows.forEach(each -> each.sentBytes = 0);
        } else if (row.uploads.isEmpty()) {
            row.sentBytes = Math.max(row.sentBytes, passedBytes);
        }
        return row.uploads.add(upload);
    }

    /** Takes out an upload, if it stands there. */
    void remove(Upload upload) {
        rows.forEach(row -> row.uploads.remove(upload));
    }

    void clear() {
        rows.forEach(row -> row.uploads.clear());
    }

    /** Takes out the upload whose turn it is; null where there is none. */
    @Nullable Upload poll() {
        Row least = null;
        for (Row row : rows) {
            if (!row.uploads.isEmpty() && (least == null || row.sentBytes < least.sentBytes)) {
                least = row;
            }
        }
        if (least == null) {
            return null;
        }
        Iterator<Upload> turns = least.uploads.iterator();
        Upload next = turns.next();
        turns.remove();
        passedBytes = least.sentBytes;
        latest = least;
        return next;
    }

    /** The one whose turn it was has sent so much. Call it before that one is added again. */
    void sent(long bytes) {
        if (latest != null) {
            latest.sentBytes += Math.max(LEAST_BYTES, bytes);
        }
    }

    private Row rowOf(Upload upload) {
        int row = 0;
        while (row < LONGEST.length && upload.nextFrameBytes() > LONGEST[row]) {
            row++;
        }
        return rows.get(row);
    }
}
