package dev.handoff.process.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Utf8Test {
    private static final String[] TEXTS = {
        "",
        "ascii",
        "\u0000\u007f",
        "\u0080\u07ff",
        "\u0800\ud7ff\ue000\uffff",
        "\ud800\udc00\udbff\udfff",
        "a\u00e4\u20ac\ud83d\ude00z",
        "\ud83d\ude00\ud83d\ude00\ud83d\ude00",
        "x".repeat(100) + "\u00e4" + "y".repeat(100),
    };

    private final Utf8Reader reader = new Utf8Reader();
    private final Utf8Writer writer = new Utf8Writer();

    @Test
    void readsWhatTheJdkEncodesInPiecesOfAnySize() throws IOException {
        for (String text : TEXTS) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            for (int size = 1; size <= text.length() + 1; size++) {
                reader.reset(bytes, 0, bytes.length);
                assertEquals(text, readAll(size), "pieces of " + size);
            }
        }
    }

    @Test
    void readsARangeOnly() throws IOException {
        byte[] bytes = "<inside>".getBytes(StandardCharsets.UTF_8);
        reader.reset(bytes, 1, bytes.length - 1);
        assertEquals("inside", readAll(3));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "80",
                "bf",
                "c0af",
                "c080",
                "c1bf",
                "c3",
                "c328",
                "e08080",
                "e09fbf",
                "e282",
                "e28228",
                "eda080",
                "edbfbf",
                "f0808080",
                "f08fbfbf",
                "f09f98",
                "f4908080",
                "f5808080",
                "fe",
                "ff",
                "f8888080"
            })
    void refusesWhatIsNotUtf8(String hex) {
        for (String before : new String[] {"", "0123456789abcdef"}) {
            byte[] bytes =
                    HexFormat.of()
                            .parseHex(
                                    HexFormat.of()
                                                    .formatHex(
                                                            before.getBytes(
                                                                    StandardCharsets.US_ASCII))
                                            + hex);
            for (int size = 1; size <= 20; size++) {
                int pieces = size;
                reader.reset(bytes, 0, bytes.length);
                assertThrows(CharacterCodingException.class, () -> readAll(pieces));
            }
        }
    }

    @Test
    void canBeUsedAgainAfterARefusal() throws IOException {
        reader.reset(new byte[] {(byte) 0xFF}, 0, 1);
        assertThrows(CharacterCodingException.class, () -> readAll(8));
        reader.reset("ok".getBytes(StandardCharsets.UTF_8), 0, 2);
        assertEquals("ok", readAll(8));
    }

    @Test
    void writesWhatTheJdkEncodesInPiecesOfAnySize() {
        for (String text : TEXTS) {
            for (int size = 1; size <= text.length() + 1; size++) {
                assertArrayEquals(text.getBytes(StandardCharsets.UTF_8), written(text, size));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"\ud800", "\udc00", "a\ud800", "\ud800b", "\udc00\ud800", "\ud800\ud800"})
    void writesHalfAPairAsReplacement(String text) {
        String expected = text.replaceAll("[\\ud800-\\udfff]", "\ufffd");
        for (int size = 1; size <= text.length(); size++) {
            assertEquals(expected, new String(written(text, size), StandardCharsets.UTF_8));
        }
    }

    @Test
    void forgetsHalfAPairOfTheTextBefore() {
        writer.reset();
        writer.write(new char[] {'\ud800'}, 0, 1);
        assertArrayEquals("a".getBytes(StandardCharsets.UTF_8), written("a", 1));
    }

    private String readAll(int pieceSize) throws IOException {
        StringBuilder text = new StringBuilder();
        char[] piece = new char[pieceSize + 2];
        int count = reader.read(piece, 1, pieceSize);
        while (count >= 0) {
            text.append(piece, 1, count);
            count = reader.read(piece, 1, pieceSize);
        }
        return text.toString();
    }

    private byte[] written(String text, int pieceSize) {
        writer.reset();
        char[] chars = text.toCharArray();
        for (int from = 0; from < chars.length; from += pieceSize) {
            writer.write(chars, from, Math.min(pieceSize, chars.length - from));
        }
        writer.close();
        return writer.toBytes();
    }
}
