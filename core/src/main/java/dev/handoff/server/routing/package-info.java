/** Chooses the handler of a request by host, path and method. */
@NullMarked
package dev.handoff.server.routing;

import org.jspecify.annotations.NullMarked;
