/**
 * The HTTP/1.x server: joins the messages of {@code http} with the sockets of {@code loop}.
 *
 * <p>Start at {@link dev.handoff.server.HttpServer}; write a {@link dev.handoff.server.Handler}.
 */
@NullMarked
package dev.handoff.server;

import org.jspecify.annotations.NullMarked;
