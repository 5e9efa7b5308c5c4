package dev.handoff.http;

/**
 * The beginning of an incomplete request, for logs.
 *
 * @param method empty while it is not known
 * @param target as sent, in whichever form; empty while it is not known
 */
public record RequestStart(String method, String target) {}
