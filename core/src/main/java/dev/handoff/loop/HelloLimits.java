package dev.handoff.loop;

import java.nio.ByteBuffer;

/**
 * Reads what a peer sends of a handshake before it is encrypted, and says when a list in its hello
 * is longer than any client's. The JDK makes objects of each entry, of which some stay as long as
 * the session: a hello of 32 KiB with one signature scheme, 16,000 times, took 385 KiB of every
 * connection. Whether the hello is well-formed is for the engine to say. A peer of TLS 1.2 ends its
 * handshake encrypted, with less than what would be taken for a list. Belongs to the loop's thread.
 */
final class HelloLimits {
    /** Three times what a client of many lists has; in bytes, as are the others. */
    private static final int MOST_LIST = 512;

    /** A client that offers all suites that there are has some 400 bytes of them. */
    private static final int MOST_SUITES = 1024;

    /** Keys of two groups that are safe from quantum computers, and of three others. */
    private static final int MOST_KEY_SHARES = 4096;

    private static final int CLIENT_HELLO = 1;
    private static final int VERSION_AND_RANDOM_BYTES = 34;
    private static final int KEY_SHARE = 51;

    private enum Step {
        TYPE(1),
        LENGTH(3),
        SESSION(1),
        SUITES(2),
        COMPRESSION(1),
        EXTENSIONS(2),
        EXTENSION(2),
        EXTENSION_LENGTH(2);

        /** How long the number is that it begins with. */
        final int bytes;

        Step(int bytes) {
            this.bytes = bytes;
        }
    }

    private Step step = Step.TYPE;

    /** What has come of the number. */
    private int number;

    private int missingBytes = Step.TYPE.bytes;

    /** How much comes before the next number. */
    private int toSkip;

    /** How much is left of the message. */
    private int left;

    private int messageType;
    private int extension;

    /**
     * More has come.
     *
     * @param content of a record with messages of the handshake
     * @return whether a list is too long
     */
    boolean exceeds(ByteBuffer content) {
        while (content.hasRemaining()) {
            if (toSkip > 0) {
                skip(content);
            } else if (isNumberBeyond(content.get())) {
                return true;
            }
        }
        return false;
    }

    private void skip(ByteBuffer content) {
        int bytes = Math.min(toSkip, content.remaining());
        content.position(content.position() + bytes);
        toSkip -= bytes;
        left -= bytes;
        beginNextIfOver();
    }

    private boolean isNumberBeyond(byte next) {
        number = number << Byte.SIZE | Byte.toUnsignedInt(next);
        missingBytes--;
        boolean inMessage = step != Step.TYPE && step != Step.LENGTH;
        left -= inMessage ? 1 : 0;
        boolean beyond = missingBytes == 0 && take(number);
        beginNextIfOver();
        return beyond;
    }

    /** At the end of a message another one begins, whatever the lengths in it say. */
    private void beginNextIfOver() {
        if (left <= 0 && step != Step.LENGTH) {
            await(Step.TYPE, 0);
        }
    }

    /** Takes a number, and returns whether it is the length of a list that is too long. */
    private boolean take(int read) {
        switch (step) {
            case TYPE -> {
                messageType = read;
                await(Step.LENGTH, 0);
            }
            case LENGTH -> {
                left = read;
                if (messageType == CLIENT_HELLO) {
                    await(Step.SESSION, VERSION_AND_RANDOM_BYTES);
                } else {
                    await(Step.TYPE, read);
                }
            }
            case SESSION -> await(Step.SUITES, read);
            case SUITES -> {
                await(Step.COMPRESSION, read);
                return read > MOST_SUITES;
            }
            case COMPRESSION -> await(Step.EXTENSIONS, read);
            case EXTENSIONS -> await(Step.EXTENSION, 0);
            case EXTENSION -> {
                extension = read;
                await(Step.EXTENSION_LENGTH, 0);
            }
            case EXTENSION_LENGTH -> {
                await(Step.EXTENSION, read);
                return read > most(extension);
            }
        }
        return false;
    }

    private void await(Step next, int bytesBefore) {
        step = next;
        number = 0;
        missingBytes = next.bytes;
        toSkip = Math.min(bytesBefore, left);
    }

    /** What the engine makes no list of may be as long as the message. */
    private static int most(int extension) {
        return switch (extension) {
            // RFC 8446 section 4.2, RFC 6066, RFC 7301: names, status requests, groups, signature
            // schemes, protocols, versions, modes, authorities.
            case 0, 5, 10, 13, 16, 17, 43, 45, 47, 50 -> MOST_LIST;
            case KEY_SHARE -> MOST_KEY_SHARES;
            default -> Integer.MAX_VALUE;
        };
    }
}
