package dev.handoff.http.websocket;

import dev.handoff.http.Body;

/**
 * Tells whether bytes that come little by little are UTF-8 (RFC 3629). It finds the first byte that
 * cannot be right when it comes, without waiting for the rest of its character.
 */
public final class Utf8Check {
    /** How many continuation bytes are due. */
    private int due;

    /**
     * The lowest and the highest value of the next continuation byte. The first one of a character
     * is bounded more closely.
     */
    private int lowest = 0x80;

    private int highest = 0xbf;

    /** Forgets what came. */
    void reset() {
        due = 0;
        lowest = 0x80;
        highest = 0xbf;
    }

    /** Whether no character is incomplete. */
    public boolean isComplete() {
        return due == 0;
    }

    /** Takes more bytes; returns false if they cannot be UTF-8. Costs a copy of each piece. */
    public boolean add(Body bytes) {
        boolean[] valid = {true};
        bytes.forEachPiece(piece -> {
            byte[] copy = new byte[piece.remaining()];
            piece.get(copy);
            valid[0] = valid[0] && add(copy, 0, copy.length);
        });
        return valid[0];
    }

    /** Takes more bytes; returns false if they cannot be UTF-8. */
    boolean add(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to) {
            int b = bytes[at++];
            if (due > 0) {
                int octet = b & 0xff;
                if (octet < lowest || octet > highest) {
                    return false;
                }
                due--;
                lowest = 0x80;
                highest = 0xbf;
            } else if (b < 0 && !begin(b & 0xff)) {
                return false;
            }
        }
        return true;
    }

    private boolean begin(int octet) {
        if (octet < 0xc2 || octet > 0xf4) {
            return false;
        }
        if (octet < 0xe0) {
            due = 1;
        } else if (octet < 0xf0) {
            due = 2;
            lowest = octet == 0xe0 ? 0xa0 : 0x80;
            highest = octet == 0xed ? 0x9f : 0xbf;
        } else {
            due = 3;
            lowest = octet == 0xf0 ? 0x90 : 0x80;
            highest = octet == 0xf4 ? 0x8f : 0xbf;
        }
        return true;
    }
}
