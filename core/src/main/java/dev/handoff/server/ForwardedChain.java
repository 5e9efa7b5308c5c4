package dev.handoff.server;

import dev.handoff.http.Hop;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What one kind of field says about a request's way here, as far as it can be believed.
 *
 * @param client where the way begins: the last station that is not a trusted proxy; or, where a
 *     proxy hides who came to it, that proxy
 * @param believed what trusted proxies have written, as one field value; empty for nothing
 * @param hops how many stations that names
 * @param written how many the field named
 */
record ForwardedChain(InetSocketAddress client, String believed, int hops, int written) {

    /** Reads one field line: its stations, or null where it cannot be read. */
    @FunctionalInterface
    interface Reader {
        @Nullable List<Hop> read(String line);
    }

    /**
     * Each station was written by the one behind it, the last one by {@code peer}. So it goes from
     * the end to the beginning, as long as who wrote is trusted.
     *
     * @param peer a trusted proxy
     * @param lines of the field, of which a proxy may have added another instead of a station
     */
    static ForwardedChain of(
            List<String> lines, Reader reader, InetSocketAddress peer, TrustedProxies proxies) {
        List<Hop> hops = hops(lines, reader);
        InetSocketAddress client = peer;
        int at = hops.size();
        boolean trusted = true;
        while (at > 0 && trusted) {
            at--;
            InetSocketAddress station = ForwardedNode.parse(hops.get(at).node());
            trusted = station != null && proxies.contains(station.getAddress());
            client = station == null ? client : station;
        }
        List<Hop> believed = hops.subList(at, hops.size());
        String text = believed.stream().map(Hop::text).collect(Collectors.joining(", "));
        return new ForwardedChain(client, text, believed.size(), hops.size());
    }

    /** From the last line that cannot be read on, lest what stands before it be believed. */
    private static List<Hop> hops(List<String> lines, Reader reader) {
        List<Hop> hops = new ArrayList<>();
        for (String line : lines) {
            List<Hop> more = reader.read(line);
            if (more == null) {
                hops.clear();
            } else {
                hops.addAll(more);
            }
        }
        return hops;
    }
}
