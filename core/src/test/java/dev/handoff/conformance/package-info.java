/** The fixtures of {@code conformance/http}, read to the parser and to a server. */
@NullMarked
package dev.handoff.conformance;

import org.jspecify.annotations.NullMarked;
