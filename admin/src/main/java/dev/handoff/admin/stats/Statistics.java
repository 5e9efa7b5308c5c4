package dev.handoff.admin.stats;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What a running server counts, for whoever asks. Any thread. */
public final class Statistics {
    /** Since the start. */
    public CompletionStage<Reading> reading() {
        throw new UnsupportedOperationException();
    }

    /** Since the last reset. */
    public CompletionStage<Window> window() {
        throw new UnsupportedOperationException();
    }

    /** Begins another window, and answers the one that this closed. */
    public CompletionStage<Window> reset() {
        throw new UnsupportedOperationException();
    }

    /** The one that the last reset closed; null if there was none. */
    public @Nullable Window previous() {
        throw new UnsupportedOperationException();
    }
}
