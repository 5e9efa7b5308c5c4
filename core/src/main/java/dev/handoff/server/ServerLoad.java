package dev.handoff.server;

/**
 * What the connections of one loop take at one moment.
 *
 * @param active those that are reading a request or owe a response; the others are idle
 * @param bufferedBytes what counts towards {@link ServerLimits#bufferedBytes}: of requests that are
 *     not answered, and of responses that are not taken
 */
public record ServerLoad(int active, long bufferedBytes) {}
