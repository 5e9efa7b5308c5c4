package dev.handoff.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class RefusalTest {
    private static final Set<Integer> STATUSES =
            Set.of(400, 408, 413, 414, 417, 421, 429, 431, 501, 505);

    @Test
    void haveCodesInSnakeCase() {
        assertEquals("bad_chunk_size", Refusal.BAD_CHUNK_SIZE.code());
        for (Refusal refusal : Refusal.values()) {
            assertTrue(refusal.code().matches("[a-z0-9]+(_[a-z0-9]+)*"), refusal.code());
        }
    }

    @Test
    void haveTheStatusesOfTheManual() {
        Set<Integer> used =
                Arrays.stream(Refusal.values()).map(Refusal::status).collect(Collectors.toSet());
        assertEquals(STATUSES, used);
        assertEquals(414, Refusal.TARGET_TOO_LONG.status());
        assertEquals(431, Refusal.HEAD_TOO_LARGE.status());
        assertEquals(431, Refusal.TOO_MANY_FIELDS.status());
        assertEquals(413, Refusal.BODY_TOO_LARGE.status());
        assertEquals(417, Refusal.UNKNOWN_EXPECTATION.status());
        assertEquals(501, Refusal.UNKNOWN_TRANSFER_CODING.status());
        assertEquals(501, Refusal.CONNECT_UNSUPPORTED.status());
        assertEquals(505, Refusal.UNSUPPORTED_VERSION.status());
        assertEquals(408, Refusal.HEAD_TIMEOUT.status());
    }

    @Test
    void sayWhatIsWrongInOneSentence() {
        for (Refusal refusal : Refusal.values()) {
            assertTrue(refusal.message().matches("[A-Z][ -~]+\\."), refusal.message());
        }
    }
}
