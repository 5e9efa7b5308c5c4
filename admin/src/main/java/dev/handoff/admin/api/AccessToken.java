package dev.handoff.admin.api;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/** The secret that a caller has to show. It does not tell itself in words. */
public final class AccessToken {
    /** Fewer could be guessed by trying. */
    public static final int LEAST_CHARACTERS = 16;

    /** More than anybody needs, and far less than a request's head may have. */
    public static final int MOST_CHARACTERS = 1024;

    private final byte[] secret;

    private AccessToken(byte[] secret) {
        this.secret = secret;
    }

    /**
     * @throws IllegalArgumentException if it has too few or too many characters, or other than
     *     visible ASCII ones, which a header can hold
     */
    public static AccessToken of(String text) {
        if (text.length() < LEAST_CHARACTERS || text.length() > MOST_CHARACTERS) {
            throw new IllegalArgumentException(
                    "a token has %d to %d characters, not %d"
                            .formatted(LEAST_CHARACTERS, MOST_CHARACTERS, text.length()));
        }
        if (!text.chars().allMatch(each -> each > ' ' && each <= '~')) {
            throw new IllegalArgumentException(
                    "a token has letters, digits and signs of ASCII only, and no blanks");
        }
        return new AccessToken(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Takes as long for a token that is right at the beginning as for one that is all wrong. */
    boolean equalsInConstantTime(String given) {
        return MessageDigest.isEqual(secret, given.getBytes(StandardCharsets.UTF_8));
    }
}
