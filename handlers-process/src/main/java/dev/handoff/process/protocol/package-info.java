/**
 * The worker protocol, version 1: frames in, messages out, and back. Its normative text is {@code
 * docs/PROTOCOL.md}; {@code conformance/frames} pins it down with bytes.
 *
 * <p>Nothing here knows a socket, a thread, a clock or a log. Bad input is a value ({@link
 * dev.handoff.process.protocol.Decoded.Refused}), never an exception.
 */
@NullMarked
package dev.handoff.process.protocol;

import org.jspecify.annotations.NullMarked;
