package dev.handoff.conformance;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Bytes as fixtures write them: printable ASCII, escapes for the rest, and repetitions. */
final class Escapes {
    private static final Pattern REPETITION = Pattern.compile("\\\\\\((.+?)\\*([0-9]{1,7})\\)");

    /** As many equal bytes in a row are written as a repetition. */
    private static final int LONG_RUN = 20;

    private Escapes() {}

    /**
     * @throws IllegalArgumentException if the text has an unknown escape, or a character that would
     *     have to be written as one
     */
    static byte[] decode(String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Matcher repetition = REPETITION.matcher(text);
        int at = 0;
        while (at < text.length()) {
            if (text.startsWith("\\(", at)) {
                if (!repetition.find(at) || repetition.start() != at) {
                    throw unknown(text, at);
                }
                byte[] unit = decode(repetition.group(1));
                for (int n = Integer.parseInt(repetition.group(2)); n > 0; n--) {
                    out.writeBytes(unit);
                }
                at = repetition.end();
            } else {
                at = one(text, at, out);
            }
        }
        return out.toByteArray();
    }

    /** The same for what is text: each character is one byte. */
    static String decodeText(String text) {
        return new String(decode(text), StandardCharsets.ISO_8859_1);
    }

    static String encode(byte[] bytes) {
        StringBuilder out = new StringBuilder();
        int at = 0;
        while (at < bytes.length) {
            int end = at + 1;
            while (end < bytes.length && bytes[end] == bytes[at]) {
                end++;
            }
            String unit = unit(bytes[at]);
            if (end - at < LONG_RUN) {
                out.repeat(unit, end - at);
            } else {
                out.append("\\(").append(unit).append('*').append(end - at).append(')');
            }
            at = end;
        }
        return out.toString();
    }

    static String encodeText(String text) {
        return encode(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Decodes what stands at an index, and returns the one behind it. */
    private static int one(String text, int at, ByteArrayOutputStream out) {
        char c = text.charAt(at);
        if (c < ' ' || c > '~') {
            throw new IllegalArgumentException("needs an escape: U+%04X".formatted((int) c));
        }
        if (c != '\\') {
            out.write(c);
            return at + 1;
        }
        if (at + 1 == text.length()) {
            throw unknown(text, at);
        }
        switch (text.charAt(at + 1)) {
            case 'r' -> out.write('\r');
            case 'n' -> out.write('\n');
            case 't' -> out.write('\t');
            case '0' -> out.write(0);
            case '\\' -> out.write('\\');
            case 'x' -> {
                out.write(hex(text, at));
                return at + 4;
            }
            default -> throw unknown(text, at);
        }
        return at + 2;
    }

    private static int hex(String text, int at) {
        if (at + 4 > text.length()
                || !HexFormat.isHexDigit(text.charAt(at + 2))
                || !HexFormat.isHexDigit(text.charAt(at + 3))) {
            throw unknown(text, at);
        }
        return HexFormat.fromHexDigits(text, at + 2, at + 4);
    }

    private static IllegalArgumentException unknown(String text, int at) {
        String rest = text.substring(at, Math.min(at + 12, text.length()));
        return new IllegalArgumentException("unknown escape: " + rest);
    }

    private static String unit(byte b) {
        return switch (b) {
            case '\r' -> "\\r";
            case '\n' -> "\\n";
            case '\t' -> "\\t";
            case 0 -> "\\0";
            case '\\' -> "\\\\";
            default ->
                    b < ' ' || b > '~'
                            ? "\\x" + HexFormat.of().toHexDigits(b)
                            : String.valueOf((char) b);
        };
    }
}
