package dev.handoff.server.routing;

import dev.handoff.server.Handler;

/**
 * The handler of the requests that fit a pattern.
 *
 * @param handler the same object for routes that are to be one: readings of a path that differ must
 *     not lead to different handlers, see {@link Router}
 */
public record Route(RoutePattern pattern, Handler handler) {}
