package dev.handoff.server.forwarding;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 5952 section 4. */
class ClientAddressTest {
    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 192.0.2.1",
        "::, ::",
        "::1, ::1",
        "1::, 1::",
        "2001:0DB8::0001, 2001:db8::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "1:2:3:4:5:6:0:0, 1:2:3:4:5:6::",
        "0:0:3:4:5:6:7:8, ::3:4:5:6:7:8",
        "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
        "::ffff:192.0.2.1, 192.0.2.1"
    })
    void isWrittenAsOtherProgramsDo(String literal, String expected) {
        InetAddress address = InetAddress.ofLiteral(literal);
        assertEquals(expected, ClientAddress.format(address));
        String host = expected.contains(":") ? "[" + expected + "]" : expected;
        assertEquals(host + ":80", ClientAddress.format(new InetSocketAddress(address, 80)));
        assertEquals(address, InetAddress.ofLiteral(expected));
    }

    @Test
    void aUnixSocketHasNoAddress() {
        assertEquals("unix:0", ClientAddress.format(UnixDomainSocketAddress.of("/s")));
    }
}
