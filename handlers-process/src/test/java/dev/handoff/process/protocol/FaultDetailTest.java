package dev.handoff.process.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a worker's author is told: which message, which key, and what it held. */
class FaultDetailTest {
    private static final int KIBIBYTE = 1024;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {"type":"response","id":7,"status":"200"}     | response with id 7: status is not an integer without fraction or exponent: "200"
                    {"type":"response","id":7,"status":2e2}       | response with id 7: status is not an integer without fraction or exponent: 2e2
                    {"type":"response","id":7,"status":true}      | response with id 7: status is not an integer without fraction or exponent: true
                    {"id":7,"status":[200],"type":"response"}     | response with id 7: status is not an integer without fraction or exponent: an array
                    {"type":"response","id":7}                    | response with id 7: status is missing
                    {"type":"response","id":7,"status":null}      | response with id 7: status is missing
                    {"type":"response","id":7,"status":1,"status":404} | response with id 7: status comes twice, the second time as 404
                    {"type":"response","status":200}              | response: id is missing
                    {"type":"response","id":"7","status":200}     | response: id is not an integer without fraction or exponent: "7"
                    {"type":"response","id":0,"status":200}       | response: id is 0, not 1 to 9007199254740991
                    {"type":"response","id":99999999999999999,"status":1} | response: id has more than 16 digits: 99999999999999999
                    {"type":"response","id":7,"status":200,"headers":{"a":"b"}} | response with id 7: headers is not an array of [name, value] pairs of strings: an object
                    {"type":"response","id":7,"status":200,"headers":[["a","b"],["n",12]]} | response with id 7: headers is not an array of [name, value] pairs of strings: 12 in item 2
                    {"type":"response","id":7,"status":200,"headers":[["a","b","c"]]} | response with id 7: headers is not an array of [name, value] pairs of strings: "c" in item 1
                    {"type":"response","id":7,"status":200,"headers":["a: b"]} | response with id 7: headers is not an array of [name, value] pairs of strings: "a: b" in item 1
                    {"type":"response","id":7,"status":200,"headers":[["a"]]} | response with id 7: headers is not an array of [name, value] pairs of strings: too few in item 1
                    {"type":"failure","id":7,"message":"m","retry":"no"} | failure with id 7: retry is not true or false: "no"
                    {"type":"capacity","concurrency":-1}          | capacity: concurrency is -1, not 0 to 2147483647
                    {"type":"hello","protocol":1,"concurrency":1,"features":["a",2]} | hello: features is not an array of strings: 2 in item 2
                    {"type":"respond","id":7}                     | message with id 7: type is "respond"
                    {"type":"request","id":7}                     | request with id 7: type is "request"
                    {"id":7}                                      | message with id 7: type is missing
                    {"type":5,"id":7}                             | message with id 7: type is not a string: 5
                    [1]                                           | message: it is an array
                    "hello"                                       | message: it is "hello"
                    """)
    void namesMessageIdKeyAndValue(String json, String detail) {
        assertEquals(detail, detailOf(json));
    }

    @Test
    void namesTheMessageOfABodyThatMustNotBe() {
        assertEquals("pong: it has a body of 5 bytes", detailOf("{\"type\":\"pong\"}", 5));
    }

    @Test
    void shortensTheValue() {
        String json = "{\"type\":\"response\",\"id\":7,\"status\":\"" + "x".repeat(65) + "\"}";
        assertTrue(detailOf(json).endsWith(": \"" + "x".repeat(64) + "\"..."), detailOf(json));
        String atTheLimit =
                "{\"type\":\"response\",\"id\":7,\"status\":\"" + "x".repeat(64) + "\"}";
        assertTrue(detailOf(atTheLimit).endsWith(": \"" + "x".repeat(64) + "\""));
        String name = hello("name", "n".repeat(257));
        assertEquals(
                "hello: name has 257 characters, not at most 256: \"" + "n".repeat(64) + "\"...",
                detailOf(name));
    }

    @Test
    void showsNothingThatDoesMoreInALogThanStandThere() {
        String detail = detailOf("{\"type\":\"a\\u001b[2J\\u202e\\n\\ud800b\"}");
        assertEquals("message: type is \"a?[2J???b\"", detail);
    }

    @Test
    void showsWhereTheJsonEndsToBeJson() {
        String detail = detailOf("{\"type\":\"response\",\"id\":7,\"status\":200,}");
        assertTrue(detail.startsWith("response with id 7: "), detail);
        assertTrue(detail.contains("\"status\":200,"), detail);
        String python = detailOf("{'type': 'response'}");
        assertTrue(python.contains("{'type': 'response'}"), python);
        String far = "{\"type\":\"pong\",\"x\":\"" + "y".repeat(KIBIBYTE) + "\",oops}";
        assertTrue(detailOf(far).contains("oops"), detailOf(far));
        assertTrue(detailOf(far).length() < 300, detailOf(far));
    }

    @Test
    void namesTheKeyThatIsNestedTooDeeply() {
        String detail = detailOf("{\"type\":\"pong\",\"deep\":" + "[".repeat(70));
        assertEquals("pong: \"deep\" has more than 64 levels", detail);
    }

    @Test
    void neverShowsATokenWhereverTheFaultIs() {
        String secret = "5ec4e7";
        String[] hostile = {
            hello("token", secret.repeat(50)),
            "{\"type\":\"hello\",\"protocol\":1,\"concurrency\":1,\"token\":[\"5ec4e7\"]}",
            "{\"type\":\"hello\",\"protocol\":1,\"concurrency\":1,\"token\":54637}",
            "{\"type\":\"hello\",\"token\":\"x\",\"token\":\"5ec4e7\"}",
            "{\"type\":\"hello\",\"concurrency\":1,\"token\":\"5ec4e7\",}",
            "{'token': '5ec4e7'}",
        };
        for (String json : hostile) {
            String detail = detailOf(json);
            assertFalse(detail.contains(secret) || detail.contains("54637"), detail);
        }
    }

    @Test
    void aPrefixThatIsTextIsToldApart() {
        assertEquals(
                "the prefix is text, \"{\"type\":\": " + PrefixHint.LAYOUT,
                detailOfBytes("{\"type\":\"hello\"}".getBytes(StandardCharsets.US_ASCII)));
        assertEquals(
                "the prefix is text, \"Content-\": " + PrefixHint.LAYOUT,
                detailOfBytes("Content-Length: 2".getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void aPrefixOfOneLengthIsToldApart() {
        byte[] json = "{\"type\":\"hello\"}".getBytes(StandardCharsets.US_ASCII);
        ByteBuffer frame = ByteBuffer.allocate(4 + json.length).putInt(json.length).put(json);
        String detail = detailOfBytes(frame.array());
        assertTrue(
                detail.endsWith("; the second length is text, \"{\"ty\": " + PrefixHint.LAYOUT),
                detail);
    }

    @Test
    void littleEndianLengthsAreToldApart() {
        ByteBuffer frame = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        String detail = detailOfBytes(frame.putInt(23).putInt(300).array());
        assertTrue(
                detail.endsWith(
                        "; read as little-endian they are 23 and 300: " + PrefixHint.LAYOUT),
                detail);
    }

    @Test
    void lengthsInTheWrongOrderAreToldApart() {
        String detail = detailOfBytes(ByteBuffer.allocate(8).putInt(0).putInt(23).array());
        assertTrue(detail.endsWith("0 bytes, and a body of 23: " + PrefixHint.LAYOUT), detail);
    }

    @Test
    void aLengthThatIsOnlyTooLargeGetsNoHint() {
        assertEquals(
                "2097153 bytes, at most 1048576 accepted",
                detailOfBytes(ByteBuffer.allocate(8).putInt(0x200001).putInt(0).array()));
    }

    private static String hello(String key, String value) {
        return "{\"type\":\"hello\",\"protocol\":1,\"concurrency\":1,\""
                + key
                + "\":\""
                + value
                + "\"}";
    }

    private static String detailOf(String json) {
        return detailOf(json, 0);
    }

    private static String detailOf(String json, int bodyBytes) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        ByteBuffer frame = ByteBuffer.allocate(8 + bytes.length);
        return detailOfBytes(frame.putInt(bytes.length).putInt(bodyBytes).put(bytes).array());
    }

    private static String detailOfBytes(byte[] bytes) {
        FrameDecoder decoder = new FrameDecoder(FrameLimits.ofBody(KIBIBYTE), Peer.WORKER);
        Decoded decoded = decoder.decode(bytes, 0, bytes.length);
        return assertInstanceOf(Decoded.Refused.class, decoded).detail();
    }
}
