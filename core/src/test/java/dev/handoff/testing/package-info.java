/**
 * What the tests of several packages and modules use: a clock and loops turned by hand, a client
 * that speaks raw bytes.
 */
@NullMarked
package dev.handoff.testing;

import org.jspecify.annotations.NullMarked;
