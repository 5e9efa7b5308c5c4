package dev.handoff.http.websocket;

import dev.handoff.http.Body;

/** Tells whether whole texts are UTF-8. */
public final class Utf8 {
    private Utf8() {}

    public static boolean isValid(Body text) {
        Utf8Check check = new Utf8Check();
        boolean[] valid = {true};
        text.forEachPiece(piece -> {
            byte[] bytes = new byte[piece.remaining()];
            piece.get(bytes);
            valid[0] &= check.add(bytes, 0, bytes.length);
        });
        return valid[0] && check.isComplete();
    }
}
