/**
 * What Prometheus scrapes: the counts of {@link dev.handoff.admin.stats}, under names that stay.
 *
 * <p>One collector for each thing that is measured, made anew for each scrape from what was read a
 * moment before, so that no scrape waits for an event loop or disturbs another. Units are seconds
 * and bytes; labels have few values, none of which a client can choose; and what has not happened
 * yet is there with 0, since the first of its kind would not be an increase otherwise.
 */
@NullMarked
package dev.handoff.admin.metrics;

import org.jspecify.annotations.NullMarked;
