package dev.handoff.server.forwarding;

import dev.handoff.http.ForwardedElement;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What one kind of field says about a request's way here, as far as it can be believed.
 *
 * @param client where the way begins: the last station that is not a trusted proxy; or, where a
 *     proxy hides who came to it, that proxy; null if that has no address
 * @param known whether that is the client: a station that can be read, where none hides behind it
 * @param believed what trusted proxies have written, as one field value; empty for nothing
 * @param proto the scheme that the first of them names; empty for none
 * @param believedElements how many stations that names
 * @param writtenElements how many the field named
 */
record ForwardedChain(
        @Nullable InetSocketAddress client,
        boolean known,
        String believed,
        String proto,
        int believedElements,
        int writtenElements) {

    /** More stations than any request passes. Each is parsed and sought among the networks. */
    static final int MOST_STATIONS = 64;

    /** Reads one field line: its stations, or null where it cannot be read. */
    @FunctionalInterface
    interface Reader {
        @Nullable List<ForwardedElement> read(String line);
    }

    /**
     * Each element was written by the station behind it, the last one by {@code peer}. So this goes
     * from the end to the beginning, as long as the writer is trusted, and no further than {@link
     * #MOST_STATIONS}.
     *
     * @param peer a trusted proxy; null if it has no address
     * @param lines of the field, of which a proxy may have added another instead of a station
     */
    static ForwardedChain of(
            List<String> lines,
            Reader reader,
            @Nullable InetSocketAddress peer,
            TrustedProxies proxies) {
        List<ForwardedElement> elements = elements(lines, reader);
        @Nullable InetSocketAddress client = peer;
        int at = elements.size();
        boolean known = false;
        boolean trusted = true;
        int last = Math.max(0, at - MOST_STATIONS);
        while (at > last && trusted) {
            at--;
            InetSocketAddress station = ForwardedNode.parse(elements.get(at).node());
            known = station != null;
            trusted = station != null && proxies.contains(station.getAddress());
            client = station == null ? client : station;
        }
        known &= !trusted || at == 0;
        List<ForwardedElement> believed = elements.subList(at, elements.size());
        String proto = believed.isEmpty() ? "" : believed.getFirst().proto();
        String text =
                believed.stream().map(ForwardedElement::text).collect(Collectors.joining(", "));
        return new ForwardedChain(client, known, text, proto, believed.size(), elements.size());
    }

    /** Only what follows the last unreadable line: what stands before it must not be believed. */
    private static List<ForwardedElement> elements(List<String> lines, Reader reader) {
        List<ForwardedElement> elements = new ArrayList<>();
        for (String line : lines) {
            List<ForwardedElement> more = reader.read(line);
            if (more == null) {
                elements.clear();
            } else {
                elements.addAll(more);
            }
        }
        return elements;
    }
}
