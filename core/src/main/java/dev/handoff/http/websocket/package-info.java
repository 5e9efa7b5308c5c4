/**
 * WebSockets (RFC 6455) and their compression (RFC 7692): bytes in, messages out, and back. No
 * sockets, threads or clocks.
 */
@NullMarked
package dev.handoff.http.websocket;

import org.jspecify.annotations.NullMarked;
