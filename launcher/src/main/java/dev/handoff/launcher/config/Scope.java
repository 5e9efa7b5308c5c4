package dev.handoff.launcher.config;

/** What a {@link Setting} is about, and so where it can be chosen. */
public enum Scope {
    /** The server: an option of {@code run} and {@code serve}, and a key at the top of the file. */
    SERVER,

    /** The pools, but each alike: chosen as for the server, and changed by a reload. */
    ALL_POOLS,

    /** A pool: chosen as for the server, which counts for all pools, or as a key of the pool. */
    POOL,

    /** The processes of a pool: the same, but not with {@code serve}, which has none by itself. */
    PROCESSES,

    /** One run of {@code handoff run}: an option and a variable only. */
    RUN,

    /** One run of {@code handoff serve}: an option and a variable only. */
    SERVE,

    /** A command for operators: an option and a variable only. */
    OPERATOR
}
