package dev.handoff.process.protocol;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Messages in which no request comes in pieces. */
public final class WholeMessages {
    private WholeMessages() {}

    /** Of a worker that takes whole requests of any size. */
    public static Message.Hello hello(
            int concurrency,
            String pool,
            @Nullable String token,
            @Nullable String name,
            long pid,
            @Nullable String host,
            @Nullable String language,
            @Nullable String sdk,
            int protocol,
            List<String> features,
            int streams) {
        return new Message.Hello(
                concurrency,
                pool,
                token,
                name,
                pid,
                host,
                language,
                sdk,
                protocol,
                features,
                streams,
                Integer.MAX_VALUE,
                Message.MAX_ID,
                0);
    }

    public static Message.Request request(
            long id,
            String method,
            String target,
            String version,
            Headers headers,
            String client,
            long timeoutMillis,
            @Nullable String requestId,
            @Nullable List<String> webSocket,
            Body body) {
        return new Message.Request(
                id,
                method,
                target,
                version,
                headers,
                client,
                Message.Request.USUAL_SCHEME,
                "",
                null,
                timeoutMillis,
                requestId,
                webSocket,
                false,
                body);
    }
}
