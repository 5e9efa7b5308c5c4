package dev.handoff.process.dispatch;

import dev.handoff.process.protocol.SafeText;

/** A connected worker, as listeners see it. To be asked on the pool's loop. */
public interface Worker {
    /** Unique among the workers of its core: what logs and metrics call it. */
    String id();

    /** The name that the worker gives itself, {@link SafeText safe to show}, or its id. */
    String name();

    /**
     * The id of the process that the core started, or else what the worker told; 0 if neither is
     * known. A quick worker says hello before the core hears that its process was started.
     */
    long pid();

    /** Where its process runs, as it told, {@link SafeText safe to show}; empty if it did not. */
    String host();

    /** How many requests it takes at once. */
    int concurrency();

    /**
     * How many of the requests that it holds count against its concurrency, cancelled ones
     * included. Responses in pieces that are under way besides do not count.
     */
    int inFlight();

    /** How many responses in pieces it has under way, cancelled ones included. */
    int streams();

    /** Whether a request of that id was ever handed to it. */
    boolean wasHanded(long requestId);
}
