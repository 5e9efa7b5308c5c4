/** What the tests of several packages use: clocks turned by hand, clients that speak raw bytes. */
@NullMarked
package dev.handoff.testing;

import org.jspecify.annotations.NullMarked;
