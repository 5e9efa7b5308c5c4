package dev.handoff.server.routing;

import dev.handoff.server.forwarding.Network;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Who has which networks: finds those whose networks have an address in common with another. Two
 * networks have one only where one contains the other.
 */
final class NetworkIndex<T> {
    private static final int FEW = 100;

    private final NavigableMap<Bits, List<T>> owners = new TreeMap<>();

    /** How many bits the networks have that are there. */
    private final BitSet lengths = new BitSet();

    /**
     * The bits of a network, on the left, and 0 behind them.
     *
     * @param bytes of an address: 4 or 16
     */
    private record Bits(int bytes, long high, long low, int length) implements Comparable<Bits> {
        static Bits of(Network network) {
            byte[] address = network.address().getAddress();
            long[] halves = new long[2];
            for (int i = 0; i < address.length; i++) {
                halves[i / Long.BYTES] |= (address[i] & 0xffL) << (Long.SIZE - 8 * (i % 8 + 1));
            }
            return new Bits(address.length, halves[0], halves[1], network.prefixBits())
                    .cut(network.prefixBits());
        }

        Bits cut(int shorter) {
            return new Bits(bytes, high & mask(shorter), low & mask(shorter - Long.SIZE), shorter);
        }

        /** The last network that can be in this one. */
        Bits last() {
            return new Bits(
                    bytes,
                    high | ~mask(length),
                    low | ~mask(length - Long.SIZE),
                    Integer.MAX_VALUE);
        }

        private static long mask(int bits) {
            if (bits <= 0) {
                return 0;
            }
            return bits >= Long.SIZE ? -1 : -1L << (Long.SIZE - bits);
        }

        @Override
        public int compareTo(Bits other) {
            int order = Integer.compare(bytes, other.bytes);
            order = order == 0 ? Long.compareUnsigned(high, other.high) : order;
            order = order == 0 ? Long.compareUnsigned(low, other.low) : order;
            return order == 0 ? Integer.compare(length, other.length) : order;
        }
    }

    void add(Set<Network> networks, T owner) {
        for (Network each : networks) {
            Bits bits = Bits.of(each);
            owners.computeIfAbsent(bits, _ -> new ArrayList<>()).add(owner);
            lengths.set(bits.length);
        }
    }

    /** Whether each address of the others is in one of ours. */
    static boolean contains(Set<Network> ours, Set<Network> others) {
        if (areFew(ours, others)) {
            return others.stream()
                    .allMatch(other -> ours.stream().anyMatch(our -> our.contains(other)));
        }
        NetworkIndex<Network> index = new NetworkIndex<>();
        ours.forEach(our -> index.add(Set.of(our), our));
        return others.stream()
                .allMatch(other ->
                        index.meeting(Set.of(other)).stream().anyMatch(our -> our.contains(other)));
    }

    /** Whether no address is in one of both. */
    static boolean areApart(Set<Network> ours, Set<Network> others) {
        if (areFew(ours, others)) {
            return ours.stream()
                    .noneMatch(our ->
                            others.stream()
                                    .anyMatch(each -> our.contains(each) || each.contains(our)));
        }
        NetworkIndex<Boolean> index = new NetworkIndex<>();
        index.add(ours, true);
        return index.meeting(others).isEmpty();
    }

    /** Then an index would cost more than it saves. */
    private static boolean areFew(Set<Network> ours, Set<Network> others) {
        return (long) ours.size() * others.size() <= FEW;
    }

    /** Those who have a network that contains one of these, or is in one of these. */
    Set<T> meeting(Set<Network> networks) {
        Set<T> found = new HashSet<>();
        for (Network each : networks) {
            Bits bits = Bits.of(each);
            for (int i = lengths.nextSetBit(0);
                    i >= 0 && i < bits.length;
                    i = lengths.nextSetBit(i + 1)) {
                found.addAll(owners.getOrDefault(bits.cut(i), List.of()));
            }
            owners.subMap(bits, true, bits.last(), true).values().forEach(found::addAll);
        }
        return found;
    }
}
