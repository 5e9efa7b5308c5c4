package dev.handoff.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PeerTest {
    /** An application may log a name, or put it into a field of a response. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    CN=alice,O=Wonder         | CN=alice,O=Wonder
                    CN=alice\\0D\\0AX-Evil: 1 | CN=alice\\0D\\0AX-Evil: 1
                    CN=\\1B[31mred            | CN=\\1B[31mred
                    CN=a\\C2\\85b             | CN=a\\C2\\85b
                    CN=Jürgen              | CN=Jürgen
                    """)
    void namesOfClientsHaveNoControls(String subject, String name) {
        assertEquals(name, Peer.nameOf(new X500Principal(subject)));
    }
}
