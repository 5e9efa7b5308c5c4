package dev.handoff.admin.stats;

/**
 * How one event loop was doing at one moment.
 *
 * @param responsive whether it answered in time; if not, this and its counts are those it had when
 *     it last did
 * @param active connections that are reading a request or owe an answer
 * @param bufferedBytes held for clients: requests until they are answered, and answers not taken
 */
public record LoopState(int index, boolean responsive, int active, long bufferedBytes) {}
