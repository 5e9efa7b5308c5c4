package dev.handoff.admin.api;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/** The secret that a caller has to show. {@code toString} hides it. */
public final class AccessToken {
    private final byte[] secret;

    private AccessToken(byte[] secret) {
        this.secret = secret;
    }

    /**
     * @param text not empty
     */
    public static AccessToken of(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("an empty token lets everybody in");
        }
        return new AccessToken(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Takes the same time wherever the first wrong byte is. */
    boolean equalsInConstantTime(String given) {
        return MessageDigest.isEqual(secret, given.getBytes(StandardCharsets.UTF_8));
    }
}
