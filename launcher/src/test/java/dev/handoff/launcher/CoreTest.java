package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CoreTest {
    @Test
    void printsAnAddressThatABrowserTakes() {
        assertEquals("http://127.0.0.1:8080/", Core.url("127.0.0.1", 8080));
        assertEquals("http://[::1]:8080/", Core.url("::1", 8080));
        assertEquals(
                "http://127.0.0.1:8080/ and this machine's other addresses",
                Core.url("0.0.0.0", 8080));
    }
}
