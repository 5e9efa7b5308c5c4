package dev.handoff.launcher.logging;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Warns of wrong tokens at the admin server: at once for the first of an address, then once a
 * minute with their number, until a minute has none. Never logs a token. May be used from any
 * thread.
 */
final class WrongTokens {
    static final Duration PERIOD = Duration.ofMinutes(1);

    /** Further addresses share one line: an attacker may have any number. */
    static final int MOST_ADDRESSES = 100;

    private static final String OTHERS = "other addresses";

    private final Consumer<String> receiver;
    private final RepeatLimit.Later later;

    /** By address: how many since its last line. */
    private final Map<String, Integer> held = new HashMap<>();

    WrongTokens(Consumer<String> receiver) {
        this(receiver, RepeatLimit.Later.REAL);
    }

    WrongTokens(Consumer<String> receiver, RepeatLimit.Later later) {
        this.receiver = receiver;
        this.later = later;
    }

    /**
     * @param client address and port, or what a socket without these is called
     */
    synchronized void shownBy(String client) {
        int port = client.lastIndexOf(':');
        String address = port < 0 ? client : client.substring(0, port);
        boolean hasPlace = held.containsKey(address) || held.size() < MOST_ADDRESSES;
        String name = hasPlace ? address : OTHERS;
        Integer before = held.putIfAbsent(name, 0);
        if (before == null) {
            receiver.accept("the admin server refused a request with a wrong token from " + name);
            endPeriodLater(name);
        } else {
            held.put(name, before + 1);
        }
    }

    private void endPeriodLater(String name) {
        later.run(PERIOD.toNanos(), () -> endPeriod(name));
    }

    private synchronized void endPeriod(String name) {
        Integer count = held.remove(name);
        if (count == null || count == 0) {
            return;
        }
        receiver.accept(
                "the admin server refused %d more %s with a wrong token from %s in the last minute"
                        .formatted(count, count == 1 ? "request" : "requests", name));
        held.put(name, 0);
        endPeriodLater(name);
    }
}
