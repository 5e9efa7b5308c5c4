package dev.handoff.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PlacesTest {
    @Test
    void printsAnAddressThatABrowserTakes() {
        assertEquals("http://127.0.0.1:8080/", Places.url("http", "127.0.0.1", 8080));
        assertEquals("http://[::1]:8080/", Places.url("http", "::1", 8080));
        assertEquals(
                "http://127.0.0.1:8080/ and this machine's other addresses",
                Places.url("http", "0.0.0.0", 8080));
    }
}
