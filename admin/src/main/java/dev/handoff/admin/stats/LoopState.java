package dev.handoff.admin.stats;

/**
 * How one event loop was doing at one moment.
 *
 * @param responsive whether it answered in time; if not, this and its counts are from when it last
 *     did
 * @param active connections that are reading a request or owe a response
 * @param bufferedBytes held for clients: requests until they are answered, and responses that
 *     clients have not taken
 */
public record LoopState(int index, boolean responsive, int active, long bufferedBytes) {}
