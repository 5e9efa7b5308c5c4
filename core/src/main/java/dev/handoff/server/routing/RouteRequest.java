package dev.handoff.server.routing;

import dev.handoff.http.Headers;
import dev.handoff.http.Request;
import dev.handoff.server.forwarding.Origin;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request as the conditions of routes see it. Its fields and its query are read once, however
 * many routes ask for them. For one thread.
 */
final class RouteRequest {
    private final Request request;
    private final Origin origin;
    private @Nullable RouteQuery query;

    /** By name; a name that comes more than once has null. */
    private @Nullable Map<String, @Nullable String> fields;

    RouteRequest(Request request, Origin origin) {
        this.request = request;
        this.origin = origin;
    }

    String method() {
        return request.method();
    }

    @Nullable String host() {
        return request.headers().first("host");
    }

    Origin origin() {
        return origin;
    }

    /** The value of the field; null if it does not come exactly once. */
    @Nullable String onlyField(String name) {
        Map<String, @Nullable String> read = fields;
        if (read == null) {
            read = new HashMap<>();
            Headers headers = request.headers();
            for (int i = 0; i < headers.size(); i++) {
                String each = headers.name(i);
                read.put(each, read.containsKey(each) ? null : headers.value(i));
            }
            fields = read;
        }
        return read.get(name);
    }

    /** The value of the parameter; null if it does not come exactly once. */
    @Nullable String onlyParameter(String name) {
        RouteQuery read = query;
        if (read == null) {
            read = new RouteQuery(request.target());
            query = read;
        }
        return read.only(name);
    }
}
