/**
 * What Prometheus scrapes: the counts of {@link dev.handoff.admin.stats}, under names that do not
 * change.
 *
 * <p>Each scrape makes its collectors anew from a snapshot, so that no scrape waits for an event
 * loop or disturbs another. Units are seconds and bytes. Labels have few values, none of which a
 * client can choose. An event that has not happened yet is there with 0, since the first one would
 * be no increase otherwise.
 */
@NullMarked
package dev.handoff.admin.metrics;

import org.jspecify.annotations.NullMarked;
