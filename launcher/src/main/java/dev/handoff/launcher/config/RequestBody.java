package dev.handoff.launcher.config;

/** When a pool's worker gets a request that has content. */
public enum RequestBody {
    /** When all of it has come: a slow client holds no worker. */
    WHOLE,
    /** As soon as its head has come; the content follows as it comes. */
    STREAM
}
