package dev.handoff.server.forwarding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.HttpVersion;
import dev.handoff.http.Request;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Proxies are in 10.0.0.0/8 and 2001:db8:aa::/48; the one that sends is 10.0.0.1. */
class ForwardingTest {
    private static final TrustedProxies PROXIES =
            TrustedProxies.of(List.of("10.0.0.0/8", "2001:db8:aa::/48"));

    private static final String PROXY = "10.0.0.1";
    private static final String PLACE = "0.0.0.0:8080";
    private static final String STRANGER = "198.51.100.7";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "192.0.2.1                       | 192.0.2.1:0",
                "192.0.2.1:4711                  | 192.0.2.1:4711",
                "2001:db8::1                     | [2001:db8::1]:0",
                "[2001:db8::1]:4711              | [2001:db8::1]:4711",
                "192.0.2.1, 10.1.1.1             | 192.0.2.1:0",
                "192.0.2.1, 2001:db8:aa::5       | 192.0.2.1:0",
                "10.3.3.3, 10.2.2.2              | 10.3.3.3:0",
            })
    void theClientIsWhoCameToTheFirstTrustedProxy(String field, String client) {
        assertEquals(client, judged(PROXY, "x-forwarded-for", field).origin().client());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "                      |                         | https     | https",
                "                      |                         | HTTPS     | https",
                "                      |                         | wss       | https",
                "                      |                         | http      | http",
                "                      |                         | gopher    | http",
                "192.0.2.1             |                         | https     | https",
                "6.6.6.6, 192.0.2.1    |                         | https, http | http",
                "192.0.2.1, 10.1.1.1   |                         | https, http | https",
                "192.0.2.1             |                         | https, http | http",
                "                      | for=192.0.2.1;proto=https |         | https",
                "                      | for=192.0.2.1;Proto=\"https\" |     | https",
                "                      | proto=https             |           | https",
                "                      | for=6.6.6.6;proto=https, for=192.0.2.1;proto=http | | http",
                "                      | for=192.0.2.1;proto=https, for=10.1.1.1;proto=http | | https",
                "                      | for=192.0.2.1;proto=http | https    | http",
                "                      | for=192.0.2.1           | https     | https",
                "                      | for=192.0.2.1;proto=https;proto=http | | http",
                "192.0.2.1             | for=192.0.2.1;proto=https |         | http",
                "192.0.2.1             | for=192.0.2.2;proto=https | https   | http",
            })
    void theSchemeIsWhatTheFirstTrustedProxySays(
            @Nullable String common,
            @Nullable String standard,
            @Nullable String proto,
            String scheme) {
        List<String> fields = new ArrayList<>();
        add("x-forwarded-for", common, fields);
        add("forwarded", standard, fields);
        add("x-forwarded-proto", proto, fields);
        String[] all = fields.toArray(String[]::new);
        assertEquals(scheme, judged(PROXY, all).origin().scheme());
        assertEquals("http", judged(STRANGER, all).origin().scheme());
    }

    private static void add(String name, @Nullable String value, List<String> fields) {
        if (value != null) {
            fields.addAll(List.of(name, value));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "6.6.6.6, 192.0.2.1              | 192.0.2.1",
                "10.9.9.9, 192.0.2.1             | 192.0.2.1",
                "6.6.6.6, 192.0.2.1, 10.1.1.1    | 192.0.2.1, 10.1.1.1",
                "6.6.6.6, unknown, 192.0.2.1     | 192.0.2.1",
            })
    void whatTheClientWroteItselfIsCutOff(String field, String believed) {
        Forwarding.Judged judged = judged(PROXY, "x-forwarded-for", field);
        assertEquals("192.0.2.1:0", judged.origin().client());
        assertEquals(List.of(believed), judged.request().headers().all("x-forwarded-for"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "unknown",
                "_hidden",
                "192.0.2.1.5",
                "192.0.2.01",
                "192.0.2.1:port",
                "192.0.2.1:65536",
                "[2001:db8::1",
                "[2001:db8::1]x",
                "[192.0.2.1]",
                "fe80::1%eth0",
                "localhost",
                "6.6.6.6, unknown",
                "6.6.6.6, \"",
            })
    void whereAProxyHidesWhoCameItCountsItself(String field) {
        assertEquals("10.0.0.1:5000", judged(PROXY, "x-forwarded-for", field).origin().client());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "for=192.0.2.1                                     | 192.0.2.1:0",
                "For=\"192.0.2.1:47\";proto=https;by=10.0.0.1      | 192.0.2.1:47",
                "for=\"[2001:db8::1]:47\"                          | [2001:db8::1]:47",
                "for=\"[2001:db8::1]\"                             | [2001:db8::1]:0",
                "for=\"192.0.2.1:_x\"                              | 192.0.2.1:0",
                "for=6.6.6.6, for=192.0.2.1;proto=http,for=10.1.1.1| 192.0.2.1:0",
                "by=\"a,for=6.6.6.6\";for=192.0.2.1                | 192.0.2.1:0",
                "by=\"a\\\",for=6.6.6.6\";for=192.0.2.1            | 192.0.2.1:0",
                ";for=192.0.2.1;                                   | 192.0.2.1:0",
                "for=6.6.6.6, for=unknown                          | 10.0.0.1:5000",
                "for=6.6.6.6, for=_hidden, for=10.1.1.1            | 10.1.1.1:0",
                "for=6.6.6.6, proto=https                          | 10.0.0.1:5000",
                "for=6.6.6.6;for=192.0.2.1                         | 10.0.0.1:5000",
                "for=6.6.6.6, for=\"192.0.2.1                      | 10.0.0.1:5000",
                "for=6.6.6.6, for                                  | 10.0.0.1:5000",
                "for=\"6.6.6.6\"x                                  | 10.0.0.1:5000",
            })
    void readsForwardedByItsGrammar(String field, String client) {
        assertEquals(client, judged(PROXY, "forwarded", field).origin().client());
    }

    /** Who forges a field that proxies pass on must not pass for the proxy. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "192.0.2.1 | for=6.6.6.6",
                "          | for=\", for=192.0.2.1",
                "          | for=6.6.6.6, for=_hidden, for=10.1.1.1",
                "unknown   |",
                "\"         |",
                "unknown   | for=unknown",
            })
    void aClientThatIsNotKnownHasNoAddress(@Nullable String common, @Nullable String standard) {
        List<String> fields = new ArrayList<>();
        add("x-forwarded-for", common, fields);
        add("forwarded", standard, fields);
        Forwarding.Judged judged = judged(PROXY, fields.toArray(String[]::new));
        assertNull(judged.origin().address());
        assertTrue(judged.origin().client().startsWith("10."), judged.origin().client());
        InetAddress counted = judged.counted();
        assertNotNull(counted);
        assertFalse(PROXIES.contains(counted));
    }

    @Test
    void aProxyThatAsksItselfHasItsAddress() {
        InetAddress proxy = InetAddress.ofLiteral(PROXY);
        assertEquals(proxy, judged(PROXY, "accept", "*/*").origin().address());
        Forwarding.Judged scheme = judged(PROXY, "x-forwarded-proto", "https");
        assertEquals(
                new Origin(PROXY + ":5000", proxy, "https", PLACE, true, null), scheme.origin());
        Forwarding.Judged inner = judged(PROXY, "x-forwarded-for", "10.3.3.3, 10.2.2.2");
        assertEquals(InetAddress.ofLiteral("10.3.3.3"), inner.origin().address());
        assertEquals(inner.origin().address(), inner.counted());
    }

    @Test
    void severalLinesAreOneListOfWhichAnUnreadableOneEndsWhatIsBelieved() {
        assertEquals(
                "192.0.2.1:0",
                judged(
                                PROXY,
                                "forwarded",
                                "for=6.6.6.6",
                                "forwarded",
                                "for=\"",
                                "forwarded",
                                "for=192.0.2.1")
                        .origin()
                        .client());
        Forwarding.Judged judged =
                judged(PROXY, "x-forwarded-for", "192.0.2.1", "x-forwarded-for", "10.1.1.1");
        assertEquals("192.0.2.1:0", judged.origin().client());
        assertEquals(
                List.of("192.0.2.1, 10.1.1.1"), judged.request().headers().all("x-forwarded-for"));
    }

    @Test
    void goesBackNoFurtherThanAnyRequestPasses() {
        String proxies = ", 10.2.2.2".repeat(ForwardedChain.MOST_STATIONS - 1);
        assertEquals(
                "192.0.2.1:0",
                judged(PROXY, "x-forwarded-for", "192.0.2.1" + proxies).origin().client());
        Forwarding.Judged further =
                judged(PROXY, "x-forwarded-for", "192.0.2.1, 10.2.2.2" + proxies);
        assertEquals("10.2.2.2:0", further.origin().client());
        assertNull(further.origin().address());
    }

    @Test
    void aStrangerCountsItselfAndIsNotHeard() {
        Forwarding.Judged judged =
                judged(
                        STRANGER,
                        "forwarded",
                        "for=6.6.6.6",
                        "x-forwarded-for",
                        "6.6.6.6",
                        "x-forwarded-proto",
                        "https",
                        "x-real-ip",
                        "6.6.6.6",
                        "x-forwarded-anything",
                        "y",
                        "client-cert",
                        ":AAAA:",
                        "client-cert-chain",
                        ":AAAA:",
                        "x_forwarded_for",
                        "6.6.6.6",
                        "x.real.ip",
                        "6.6.6.6",
                        "client_cert",
                        ":AAAA:",
                        "accept",
                        "*/*");
        assertEquals(STRANGER + ":5000", judged.origin().client());
        assertEquals(List.of("host", "accept"), names(judged.request().headers()));
    }

    @Test
    void ofTwoFieldsThatContradictEachOtherNeitherIsBelieved() {
        Forwarding.Judged judged =
                judged(PROXY, "forwarded", "for=6.6.6.6", "x-forwarded-for", "192.0.2.1");
        assertEquals("10.0.0.1:5000", judged.origin().client());
        assertEquals(List.of("host"), names(judged.request().headers()));
    }

    /** So it gets neither the certificate of the proxy nor what the proxy has spoken. */
    @Test
    void whereTheyContradictEachOtherTheClientIsHiddenAndNotTheProxyItself() {
        InetSocketAddress proxy = new InetSocketAddress(InetAddress.ofLiteral(PROXY), 5000);
        Forwarding overTls = new Forwarding(PROXIES, proxy, Origin.of(proxy, Origin.HTTPS, PLACE));
        Forwarding.Judged judged =
                overTls.judge(
                        request(
                                "forwarded",
                                "for=6.6.6.6",
                                "x-forwarded-for",
                                "192.0.2.1",
                                "client-cert",
                                ":AAAA:"));
        assertTrue(judged.origin().byProxy());
        assertEquals(Origin.HTTP, judged.origin().scheme());
        assertEquals(List.of("host"), names(judged.request().headers()));
    }

    @Test
    void aProxyTellsTheCertificateOfItsClient() {
        Headers headers =
                judged(
                                PROXY,
                                "x-forwarded-for",
                                "192.0.2.1",
                                "client-cert",
                                ":AAAA:",
                                "client-cert-chain",
                                ":BBBB:")
                        .request()
                        .headers();
        assertEquals(List.of(":AAAA:"), headers.all("client-cert"));
        assertEquals(List.of(":BBBB:"), headers.all("client-cert-chain"));
    }

    @Test
    void whoDoesNotSayForWhomItAsksIsNoProxy() {
        Forwarding.Judged judged = judged(PROXY, "client-cert", ":AAAA:", "client_cert", ":BBBB:");
        assertFalse(judged.origin().byProxy());
        assertEquals(List.of("host", "client-cert"), names(judged.request().headers()));
    }

    @Test
    void whatOnlyLooksLikeAFieldOfAProxyIsNone() {
        Forwarding.Judged judged =
                judged(
                        PROXY,
                        "x_forwarded_for",
                        "6.6.6.6",
                        "x-forwarded-for",
                        "192.0.2.1",
                        "x-forwarded_proto",
                        "https",
                        "client_cert",
                        ":AAAA:");
        assertEquals("192.0.2.1:0", judged.origin().client());
        assertEquals(List.of("host", "x-forwarded-for"), names(judged.request().headers()));
    }

    @Test
    void ofTwoFieldsThatAgreeTheOneThatCanSayMoreIsDropped() {
        Forwarding.Judged judged =
                judged(
                        PROXY,
                        "forwarded",
                        "for=\"192.0.2.1:47\";host=evil.example;proto=https;by=10.0.0.1",
                        "x-forwarded-for",
                        "192.0.2.1");
        assertEquals("192.0.2.1:0", judged.origin().client());
        assertEquals(List.of("host", "x-forwarded-for"), names(judged.request().headers()));
        assertEquals(List.of("192.0.2.1"), judged.request().headers().all("x-forwarded-for"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "192.0.2.1           | https       | https",
                "192.0.2.1, 10.1.1.1 | https       | https",
                "192.0.2.1, 10.1.1.1 | https, http | https, http",
                "6.6.6.6, 192.0.2.1  | https, http | http",
                "192.0.2.1           | https, http | ''",
                "192.0.2.1, 10.1.1.1 | a, b, c     | ''",
            })
    void aListOfProtocolsIsCutWhereTheAddressesAre(String addresses, String given, String kept) {
        Headers headers =
                judged(PROXY, "x-forwarded-for", addresses, "x-forwarded-proto", given)
                        .request()
                        .headers();
        assertEquals(kept, String.join("|", headers.all("x-forwarded-proto")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "192.0.2.1          | 192.0.2.1",
                "6.6.6.6            | ''",
                "10.0.0.1           | ''",
                "192.0.2.1, 6.6.6.6 | ''",
                "somebody           | ''",
            })
    void xRealIpStaysOnlyWhereItNamesTheClient(String given, String kept) {
        Headers headers =
                judged(PROXY, "x-forwarded-for", "192.0.2.1", "x-real-ip", given)
                        .request()
                        .headers();
        assertEquals(kept, String.join("|", headers.all("x-real-ip")));
    }

    @Test
    void xRealIpAloneNamesNobody() {
        Forwarding.Judged judged = judged(PROXY, "x-real-ip", "6.6.6.6");
        assertEquals("10.0.0.1:5000", judged.origin().client());
        assertEquals(List.of("host"), names(judged.request().headers()));
    }

    @Test
    void aRequestThatSaysNothingOfProxiesStaysAsItIs() {
        Request request = request("accept", "*/*");
        Forwarding.Judged judged = forwarding(PROXY).judge(request);
        assertEquals("10.0.0.1:5000", judged.origin().client());
        assertEquals(request, judged.request());
    }

    /** Also where what it says is not believed. */
    @Test
    void whereARequestCameInIsNothingThatAProxySays() {
        for (String[] fields :
                new String[][] {
                    {"accept", "*/*"},
                    {"x-forwarded-for", "192.0.2.1"},
                    {"forwarded", "for=192.0.2.1;by=198.51.100.9;host=other"},
                    {"forwarded", "for=192.0.2.1", "x-forwarded-for", "192.0.2.2"}
                }) {
            assertEquals(PLACE, judged(PROXY, fields).origin().place());
            assertEquals(PLACE, judged(STRANGER, fields).origin().place());
        }
    }

    private static Forwarding.Judged judged(String peer, String... fields) {
        return forwarding(peer).judge(request(fields));
    }

    private static Forwarding forwarding(String peer) {
        InetSocketAddress address = new InetSocketAddress(InetAddress.ofLiteral(peer), 5000);
        return new Forwarding(PROXIES, address, Origin.of(address, Origin.HTTP, PLACE));
    }

    private static Request request(String... fields) {
        Headers.Builder headers = new Headers.Builder().add("host", "a");
        for (int i = 0; i < fields.length; i += 2) {
            headers.add(fields[i], fields[i + 1]);
        }
        return new Request("GET", "/", HttpVersion.HTTP_1_1, headers.build(), Body.EMPTY);
    }

    private static List<String> names(Headers headers) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < headers.size(); i++) {
            names.add(headers.name(i));
        }
        return names;
    }
}
