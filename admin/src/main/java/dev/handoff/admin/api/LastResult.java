package dev.handoff.admin.api;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Remembers what was made of the newest source. A flood of callers who share a snapshot shares its
 * text as well, and other calls wait for one text instead of hundreds. On the admin server's loop.
 */
public final class LastResult<S, T> {
    private record Made<S, T>(S source, T result) {}

    private final Function<S, T> maker;
    private @Nullable Made<S, T> last;

    /**
     * @param maker makes the same of the same source
     */
    public LastResult(Function<S, T> maker) {
        this.maker = maker;
    }

    /** The result for this source, made now unless this very source was the last. */
    @SuppressWarnings("ReferenceEquality") // one that equals it may be of another moment
    public T of(S source) {
        Made<S, T> made = last;
        if (made == null || made.source != source) {
            made = new Made<>(source, maker.apply(source));
            last = made;
        }
        return made.result;
    }
}
