/**
 * Finds out who the client is behind trusted proxies, and removes from requests what others wrote
 * about it.
 *
 * <p>Everything here turns values into values, and knows neither connections nor sockets.
 */
@NullMarked
package dev.handoff.server.forwarding;

import org.jspecify.annotations.NullMarked;
