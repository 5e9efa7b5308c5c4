/**
 * The server's log: which events of the server and its pools it tells, how its lines look as text
 * and as JSON, and the thread that writes them. The access log has a {@linkplain
 * dev.handoff.launcher.access package of its own}.
 */
@NullMarked
package dev.handoff.launcher.logging;

import org.jspecify.annotations.NullMarked;
