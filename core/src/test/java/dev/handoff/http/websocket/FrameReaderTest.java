package dev.handoff.http.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.Splits;
import dev.handoff.testing.Splits.Split;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 6455 section 5 and RFC 7692, however the bytes are cut. */
class FrameReaderTest {
    private static final int EVERY_PLACE_UP_TO = 300;

    @Test
    void takesTheExamplesOfTheStandard() {
        // Section 5.7: a masked text message, in one frame and in two; and a pong.
        byte[] single = {
            (byte) 0x81,
            (byte) 0x85,
            0x37,
            (byte) 0xfa,
            0x21,
            0x3d,
            0x7f,
            (byte) 0x9f,
            0x4d,
            0x51,
            0x58
        };
        expect(single, false, "text Hello");
        expect(frames().frame(0x01, utf8("Hel")).frame(0x80, utf8("lo")), "text Hello");
        expect(frames().frame(0x8a, utf8("Hello")), "pong");
    }

    @Test
    void takesTheCompressedExamplesOfTheStandard() {
        // RFC 7692 section 7.2.3: one block, fragments, no compression, a final block, two blocks.
        byte[] hello = hex("f248cdc9c90700");
        expectCompressed(frames().frame(0xc1, hello), "text Hello");
        expectCompressed(
                frames().frame(0x41, hex("f248cd")).frame(0x80, hex("c9c90700")), "text Hello");
        expectCompressed(frames().frame(0xc1, hex("000500faff48656c6c6f00")), "text Hello");
        expectCompressed(frames().frame(0xc1, hex("f348cdc9c9070000")), "text Hello");
        expectCompressed(frames().frame(0xc1, hex("f248050000 00ffffcac9c90700")), "text Hello");
        expectCompressed(
                frames().text("as it is").compressedText(utf8("a".repeat(900))),
                "text as it is",
                "text 900 bytes");
    }

    @Test
    void joinsFragmentsAndTakesControlFramesBetween() {
        expect(
                frames().frame(0x02, utf8("a"))
                        .ping("p")
                        .frame(0x00, utf8("b"))
                        .frame(0x80, utf8("c"))
                        .text(""),
                "ping p",
                "binary abc",
                "text ");
    }

    @Test
    void dropsMessagesAndHoldsNothingOfThemWhereItIsToldTo() {
        Heard heard = new Heard(true);
        heard.read(frames().frame(0x41, ClientFrames.deflated(utf8("a".repeat(900)))).toBytes());
        heard.dropMessages();
        assertEquals(0, heard.heldBytes());
        heard.read(frames().frame(0x00, utf8("no deflate")).ping("p").toBytes());
        heard.read(frames().frame(0x80, utf8("")).text("x".repeat(2000)).toBytes());
        assertEquals(0, heard.heldBytes());
        heard.read(frames().close(1000, "").toBytes());
        assertEquals(List.of("ping p", "close 1000 "), heard.events());
        heard.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 125, 126, 127, 999, 1000})
    void takesMessagesUpToTheLimit(int bytes) {
        String shown = bytes > 40 ? bytes + " bytes" : "x".repeat(bytes);
        expect(frames().text("x".repeat(bytes)).close(), "text " + shown, "close 1005 ");
    }

    @Test
    void refusesALongerMessageByItsLengthAlone() {
        byte[] announced = frames().raw(0x82, 0xfe, 1001 >> 8, 1001 & 0xff, 1, 2, 3, 4).toBytes();
        expect(announced, false, "fault TOO_BIG");
        expect(frames().raw(0x82, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 4), "fault TOO_BIG");
    }

    @Test
    void addsUpTheLengthsOfFragments() {
        byte[] half = new byte[500];
        expect(frames().frame(0x02, half).frame(0x80, half), "binary 1000 bytes");
        expect(
                frames().frame(0x02, half).frame(0x00, half).frame(0x80, new byte[1]),
                "fault TOO_BIG");
    }

    /** So that who reads it can leave the rest for later: a KiB may become a mebibyte. */
    @Test
    void decompressesLittleAtOnce() {
        byte[] bytes = frames().compressedText(new byte[900_000]).toBytes();
        FrameReader reader = new FrameReader(900_000, new Compression(), new Heard(true));
        int decompressed = 0;
        int next = 0;
        while (next < bytes.length || reader.isBehind()) {
            next = reader.read(bytes, next, bytes.length);
            assertTrue(reader.decompressedBytes() <= 1032 * MessageBytes.AT_ONCE_BYTES);
            decompressed += reader.decompressedBytes();
        }
        assertEquals(900_000, decompressed);
    }

    @Test
    void stopsDecompressingAtTheLimit() {
        byte[] bytes = frames().compressedText(new byte[4_000_000]).toBytes();
        Heard heard = new Heard(true);
        heard.read(bytes.clone());
        assertEquals(List.of("fault TOO_BIG"), heard.events());
        int most = Heard.MOST_MESSAGE_BYTES + bytes.length + Compression.INFLATER_BYTES;
        assertTrue(heard.mostHeldBytes() <= most);
        expectCompressed(frames().compressedText(new byte[1001]), "fault TOO_BIG");
    }

    @Test
    void stopsCompressedDataThatMakesNoMessage() {
        // Empty stored blocks, each of five bytes: 1000 of a message, an eighth of it, and 4096.
        byte[] most = new byte[5 * 1044];
        for (int i = 0; i < most.length; i += 5) {
            most[i + 3] = (byte) 0xff;
            most[i + 4] = (byte) 0xff;
        }
        expectCompressed(frames().frame(0x42, most).frame(0x80, new byte[0]), "binary ");
        expectCompressed(
                frames().frame(0x42, most).frame(0x00, new byte[1]).frame(0x00, new byte[1]),
                "fault TOO_BIG");
    }

    @Test
    void holdsNoMoreThanCame() {
        Heard heard = new Heard(false);
        heard.read(frames().raw(0x82, 0xfe, 1000 >> 8, 1000 & 0xff, 0, 0, 0, 0, 9).toBytes());
        assertTrue(heard.mostHeldBytes() <= 2);
    }

    /** An inflater takes 48 KB: it waits until the message is whole. */
    @Test
    void holdsNoMoreThanCameOfACompressedMessage() {
        byte[] text = "a text that is compressed".repeat(9).getBytes(StandardCharsets.UTF_8);
        byte[] deflated = ClientFrames.deflated(text);
        byte[] half = Arrays.copyOf(deflated, deflated.length / 2);
        byte[] rest = Arrays.copyOfRange(deflated, half.length, deflated.length);
        Heard heard = new Heard(true);
        heard.read(frames().frame(0x41, half).toBytes());
        assertEquals(half.length, heard.heldBytes());
        heard.read(frames().frame(0x80, rest).toBytes());
        assertEquals(List.of("text 225 bytes"), heard.events());
        assertEquals(0, heard.heldBytes());
    }

    @ParameterizedTest
    @CsvSource({
        "0x81, 0x05, UNMASKED",
        "0x91, 0x80, RESERVED_BITS",
        "0xa1, 0x80, RESERVED_BITS",
        "0xc1, 0x80, RESERVED_BITS",
        "0xc9, 0x80, RESERVED_BITS",
        "0x83, 0x80, UNKNOWN_OPCODE",
        "0x87, 0x80, UNKNOWN_OPCODE",
        "0x8b, 0x80, UNKNOWN_OPCODE",
        "0x8f, 0x80, UNKNOWN_OPCODE",
        "0x09, 0x80, FRAGMENTED_CONTROL",
        "0x08, 0x80, FRAGMENTED_CONTROL",
        "0x89, 0xfe, LONG_CONTROL",
        "0x88, 0xff, LONG_CONTROL",
        "0x80, 0x80, UNEXPECTED_CONTINUATION",
        "0x00, 0x80, UNEXPECTED_CONTINUATION"
    })
    void refusesByTheFirstTwoBytes(String first, String second, WebSocketFault fault) {
        expect(frames().raw(Integer.decode(first), Integer.decode(second)), "fault " + fault);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0xd1", "0xc2"})
    void refusesACompressedContinuation(String ignored) {
        ClientFrames frames = frames().frame(0x41, hex("f248cd")).raw(0xc0, 0x80);
        expectCompressed(frames, "fault RESERVED_BITS");
        expectCompressed(frames().raw(0xd1, 0x80), "fault RESERVED_BITS");
    }

    @Test
    void refusesAMessageInsideAnother() {
        expect(frames().frame(0x01, utf8("a")).raw(0x81, 0x80), "fault UNFINISHED_MESSAGE");
    }

    @Test
    void refusesLengthsThatAreNotAsShortAsTheyCanBe() {
        expect(frames().raw(0x82, 0xfe, 0, 125, 1, 2, 3, 4), "fault BAD_LENGTH");
        expect(
                frames().raw(0x82, 0xff, 0, 0, 0, 0, 0, 0, 255, 255, 1, 2, 3, 4),
                "fault BAD_LENGTH");
        expect(frames().raw(0x82, 0xff, 128, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4), "fault BAD_LENGTH");
    }

    @Test
    void takesEmptyFragmentsUpToTheirLimit() {
        ClientFrames frames = frames().frame(0x02, new byte[0]);
        for (int i = 1; i < FrameReader.MOST_EMPTY_FRAGMENTS; i++) {
            frames.frame(0x00, new byte[0]);
        }
        byte[] most = frames.toBytes();
        assertEquals(List.of("binary x"), Heard.of(with(most, 0x80, "x"), false, Split.WHOLE));
        assertEquals(
                List.of("fault TOO_MANY_FRAGMENTS"),
                Heard.of(with(most, 0x80, ""), false, Split.WHOLE));
    }

    private static byte[] with(byte[] before, int first, String payload) {
        byte[] last = frames().frame(first, utf8(payload)).toBytes();
        byte[] all = Arrays.copyOf(before, before.length + last.length);
        System.arraycopy(last, 0, all, before.length, last.length);
        return all;
    }

    @Test
    void takesACloseAndNothingBehindIt() {
        expect(frames().close().text("late"), "close 1005 ");
        expect(frames().close(1000, "").raw(0xff), "close 1000 ");
        expect(frames().close(4999, "grüße"), "close 4999 grüße");
        expect(frames().close(1000, "x".repeat(123)), "close 1000 " + "x".repeat(123));
    }

    @ParameterizedTest
    @ValueSource(
            ints = {1000, 1001, 1002, 1003, 1007, 1008, 1011, 1012, 1013, 1014, 3000, 3999, 4999})
    void takesCodesThatMayBeSent(int code) {
        expect(frames().close(code, ""), "close " + code + " ");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535})
    void refusesCodesThatMayNot(int code) {
        expect(frames().close(code, ""), "fault BAD_CLOSE_CODE");
    }

    @Test
    void refusesHalfACodeAndAReasonThatIsNotUtf8() {
        expect(frames().frame(0x88, new byte[1]), "fault BAD_CLOSE");
        expect(frames().frame(0x88, hex("03e8c3")), "fault NOT_UTF8");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "80", "bf", "c0", "c1af", "c328", "e080", "eda0", "f08f", "f490", "f5", "ff",
                "61ff62", "e28261"
            })
    void refusesTextThatIsNotUtf8AtItsFirstWrongByte(String text) {
        byte[] bytes = hex(text);
        expect(frames().frame(0x81, bytes), "fault NOT_UTF8");
        // The frame announces more, which never comes.
        byte[] frame = frames().frame(0x01, Arrays.copyOf(bytes, bytes.length + 50)).toBytes();
        byte[] cut = Arrays.copyOf(frame, frame.length - 50);
        expect(cut, false, "fault NOT_UTF8");
        expectCompressed(frames().compressedText(bytes), "fault NOT_UTF8");
        expect(frames().binary(hex("80")), "binary \ufffd");
    }

    @Test
    void takesCharactersThatAreCutBetweenFragments() {
        byte[] text = utf8("κόσμε €😀");
        ClientFrames frames = frames().frame(0x01, new byte[0]);
        for (byte each : text) {
            frames.frame(0x00, new byte[] {each});
        }
        expect(frames.frame(0x80, new byte[0]), "text κόσμε €😀");
        expect(frames().frame(0x01, hex("e282")).frame(0x80, new byte[0]), "fault NOT_UTF8");
    }

    @Test
    void refusesWhatCannotBeDecompressed() {
        expectCompressed(frames().frame(0xc2, hex("ffffffff")), "fault BAD_COMPRESSION");
        byte[] manyEnds = new byte[2000];
        for (int i = 0; i < manyEnds.length; i += 2) {
            manyEnds[i] = 3;
        }
        expectCompressed(frames().frame(0xc2, manyEnds), "fault BAD_COMPRESSION");
    }

    /** The text breaks a rule before it is too long, or the data end. */
    @Test
    void refusesCompressedTextForTheRuleThatItBreaksFirst() {
        byte[] wrongThenLong = new byte[3000];
        Arrays.fill(wrongThenLong, (byte) 'a');
        wrongThenLong[999] = (byte) 0xff;
        expectCompressed(frames().compressedText(wrongThenLong), "fault NOT_UTF8");
        wrongThenLong[999] = 'a';
        wrongThenLong[1000] = (byte) 0xff;
        expectCompressed(frames().compressedText(wrongThenLong), "fault TOO_BIG");
    }

    /** A block of the kind 3, which there is none of, behind one that is stored. */
    @Test
    void refusesWhatComesBeforeBrokenDataFirst() {
        expectCompressed(frames().frame(0xc1, hex("000100feff ff 07")), "fault NOT_UTF8");
        expectCompressed(frames().frame(0xc1, hex("000100feff 61 07")), "fault BAD_COMPRESSION");
        byte[] most = hex("00e80317fc" + "61".repeat(1000) + "07");
        expectCompressed(frames().frame(0xc1, most), "fault BAD_COMPRESSION");
        byte[] tooMany = hex("00e90316fc" + "61".repeat(1001) + "07");
        expectCompressed(frames().frame(0xc1, tooMany), "fault TOO_BIG");
    }

    @ParameterizedTest
    @ValueSource(ints = {0xffff, 0x10000})
    void takesLengthsOf16And64Bits(int bytes) {
        byte[] frame = frames().binary(new byte[bytes]).text("next").toBytes();
        for (Split split : Splits.of(frame.length, EVERY_PLACE_UP_TO)) {
            List<String> heard = Heard.of(frame.clone(), bytes, false, split);
            assertEquals(List.of("binary " + bytes + " bytes", "text next"), heard, split::how);
        }
        assertEquals(
                List.of("fault TOO_BIG"), Heard.of(frame.clone(), bytes - 1, false, Split.WHOLE));
    }

    private static void expect(ClientFrames frames, String... events) {
        expect(frames.toBytes(), false, events);
    }

    private static void expectCompressed(ClientFrames frames, String... events) {
        expect(frames.toBytes(), true, events);
    }

    private static void expect(byte[] bytes, boolean compressed, String... events) {
        for (Split split : Splits.of(bytes.length, EVERY_PLACE_UP_TO)) {
            assertEquals(List.of(events), Heard.of(bytes.clone(), compressed, split), split::how);
        }
    }

    private static ClientFrames frames() {
        return new ClientFrames();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] hex(String text) {
        return java.util.HexFormat.of().parseHex(text.replace(" ", ""));
    }
}
