/**
 * The fixtures of {@code conformance/http}, read to the parser and to a server, and those of {@code
 * conformance/http-responses}, read to the parser of responses.
 */
@NullMarked
package dev.handoff.conformance;

import org.jspecify.annotations.NullMarked;
