/**
 * HTTP/1.x messages: bytes in, values out.
 *
 * <p>Nothing here knows a socket, a thread, a clock or a log. Bad input is a value ({@link
 * dev.handoff.http.Parsed.Refused}), never an exception.
 */
@NullMarked
package dev.handoff.http;

import org.jspecify.annotations.NullMarked;
