package dev.handoff.admin.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class RoutingTest {
    private RunningAdmin admin;

    @BeforeEach
    void start() throws Exception {
        admin = RunningAdmin.start();
    }

    @AfterEach
    void stop() throws Exception {
        admin.close();
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /ready, 'GET, HEAD, OPTIONS'",
        "DELETE, /workers, 'GET, HEAD, OPTIONS'",
        "GET, /drain, 'OPTIONS, POST'",
        "HEAD, /workers/default-1/kill, 'OPTIONS, POST'",
        "PUT, /pools/default/scale, 'OPTIONS, POST'"
    })
    void namesTheMethodsThatThereAre(String method, String path, String allowed) throws Exception {
        HttpResponse<String> response = send(method, path);
        assertEquals(405, response.statusCode());
        assertEquals(allowed, response.headers().firstValue("allow").orElseThrow());
    }

    @Test
    void tellsTheMethodsToWhomAsks() throws Exception {
        HttpResponse<String> response = send("OPTIONS", "/pools/default/scale");
        assertEquals(204, response.statusCode());
        assertEquals("OPTIONS, POST", response.headers().firstValue("allow").orElseThrow());
        String all =
                admin.raw("OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        assertTrue(all.contains("\r\nallow: GET, HEAD, OPTIONS, POST\r\n"), all);
    }

    @Test
    void answersHeadAsGetWithoutTheBody() throws Exception {
        HttpResponse<String> response = send("HEAD", "/workers");
        assertEquals(200, response.statusCode());
        assertEquals("", response.body());
        assertTrue(response.headers().firstValueAsLong("content-length").orElseThrow() > 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/nothing",
                "//workers",
                "/workers/",
                "/Workers",
                "/%77orkers",
                "/./workers",
                "/x/../workers",
                "/%2e/workers",
                "/workers;a=b",
                "/workers/default-1",
                "/pools/default",
                "/pools//scale"
            })
    void knowsOneWayToWriteEachPath(String path) throws Exception {
        String response =
                admin.raw(
                        "GET "
                                + path
                                + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        assertTrue(response.startsWith("HTTP/1.1 404 "), response);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limit=0",
                "limit=1001",
                "limit=-1",
                "limit=1e2",
                "limit=",
                "limit",
                "limit=99999999999999999999",
                "limit=5&limit=5",
                "limt=5",
                "limit=%",
                "limit=%zz"
            })
    void refusesAQueryThatItDoesNotUnderstand(String query) throws Exception {
        String response =
                admin.raw(
                        "GET /requests?%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                                .formatted(query));
        assertTrue(response.startsWith("HTTP/1.1 400 "), response);
    }

    @Test
    void letsNobodyKeepAResponseOrMakeAnotherThingOfIt() throws Exception {
        for (String path : new String[] {"/live", "/workers", "/nothing", "/openapi.json"}) {
            HttpHeaders headers = admin.get(path).headers();
            assertEquals("no-store", headers.firstValue("cache-control").orElseThrow());
            assertEquals("nosniff", headers.firstValue("x-content-type-options").orElseThrow());
            assertEquals(
                    "same-origin",
                    headers.firstValue("cross-origin-resource-policy").orElseThrow());
        }
    }

    private HttpResponse<String> send(String method, String path) throws Exception {
        return admin.send(
                admin.request(path).method(method, HttpRequest.BodyPublishers.noBody()).build());
    }
}
