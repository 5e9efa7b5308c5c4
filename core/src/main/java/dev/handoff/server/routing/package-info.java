/** Chooses the handler of a request by host, path, method and further conditions. */
@NullMarked
package dev.handoff.server.routing;

import org.jspecify.annotations.NullMarked;
