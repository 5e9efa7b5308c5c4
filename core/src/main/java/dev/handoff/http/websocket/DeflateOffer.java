package dev.handoff.http.websocket;

import dev.handoff.http.FieldList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The first offer of permessage-deflate that can be accepted (RFC 7692 section 7.1).
 *
 * @param serverWindowBits the window that the client asks the server to keep to; 0 if it does not
 */
public record DeflateOffer(int serverWindowBits) {
    private static final int FEWEST_BITS = 8;
    private static final int MOST_BITS = 15;

    /**
     * @param extensions the values of Sec-WebSocket-Extensions
     */
    static @Nullable DeflateOffer of(List<String> extensions) {
        List<DeflateOffer> offers = new ArrayList<>();
        for (String list : extensions) {
            FieldList.forEach(list, (from, to) -> addIfKnown(list.substring(from, to), offers));
        }
        return offers.isEmpty() ? null : offers.getFirst();
    }

    private static void addIfKnown(String extension, List<DeflateOffer> offers) {
        DeflateOffer offer = parse(extension);
        if (offer != null) {
            offers.add(offer);
        }
    }

    /**
     * The value of Sec-WebSocket-Extensions that accepts it. Neither side keeps anything from one
     * message to the next, so that a WebSocket which is idle holds no memory for it.
     */
    public String accepted() {
        String base = "permessage-deflate; server_no_context_takeover; client_no_context_takeover";
        return serverWindowBits == 0 ? base : base + "; server_max_window_bits=" + serverWindowBits;
    }

    /** How many bytes of what the server sends fit in the client's window. */
    public int windowBytes() {
        return serverWindowBits == 0 ? Compression.LARGEST_WINDOW_BYTES : 1 << serverWindowBits;
    }

    /**
     * Reads one offer. Returns null if it is another extension, or has a parameter that is unknown
     * or wrong.
     */
    private static @Nullable DeflateOffer parse(String extension) {
        String[] parts = extension.split(";", -1);
        if (!parts[0].strip().equalsIgnoreCase("permessage-deflate")) {
            return null;
        }
        Set<String> seen = new HashSet<>();
        int bits = 0;
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            String name = equals < 0 ? parts[i] : parts[i].substring(0, equals);
            String value = equals < 0 ? null : unquoted(parts[i].substring(equals + 1).strip());
            name = name.strip().toLowerCase(Locale.ROOT);
            if (!seen.add(name)) {
                return null;
            }
            switch (name) {
                case "server_no_context_takeover", "client_no_context_takeover" -> {
                    if (value != null) {
                        return null;
                    }
                }
                case "client_max_window_bits" -> {
                    if (value != null && bits(value) == 0) {
                        return null;
                    }
                }
                case "server_max_window_bits" -> {
                    bits = value == null ? 0 : bits(value);
                    if (bits == 0) {
                        return null;
                    }
                }
                default -> {
                    return null;
                }
            }
        }
        return new DeflateOffer(bits);
    }

    /** Reads a number of bits; returns 0 if the value is none. */
    private static int bits(String value) {
        if (!value.matches("[89]|1[0-5]")) {
            return 0;
        }
        int bits = Integer.parseInt(value);
        return bits >= FEWEST_BITS && bits <= MOST_BITS ? bits : 0;
    }

    private static String unquoted(String value) {
        boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
        return quoted ? value.substring(1, value.length() - 1) : value;
    }
}
