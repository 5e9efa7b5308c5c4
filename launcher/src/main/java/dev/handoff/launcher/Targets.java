package dev.handoff.launcher;

import dev.handoff.http.Body;
import dev.handoff.http.Headers;
import dev.handoff.http.Response;
import dev.handoff.launcher.config.Target;
import dev.handoff.server.FixedResponse;
import dev.handoff.server.Handler;
import dev.handoff.server.files.FileTarget;
import dev.handoff.server.files.FileThreads;
import java.util.List;
import java.util.function.Function;

/** Makes the handlers of the targets of the top level: docs/decisions/0019-targets.md. */
final class Targets {
    private final FileThreads fileThreads;

    /**
     * @param fileThreads which all folders share
     */
    Targets(FileThreads fileThreads) {
        this.fileThreads = fileThreads;
    }

    /**
     * @param pool hands requests to a pool by its name
     * @param oneOf hands each request to one of these pools
     */
    Handler handler(
            Target target, Function<String, Handler> pool, Function<List<String>, Handler> oneOf) {
        return switch (target) {
            case Target.Files files ->
                    new FileTarget(
                            files.options(),
                            fileThreads,
                            files.otherwise() == null ? null : pool.apply(files.otherwise()));
            case Target.Respond respond -> new FixedResponse(response(respond));
            case Target.Pools pools -> oneOf.apply(pools.names());
        };
    }

    private static Response response(Target.Respond respond) {
        Headers.Builder headers = new Headers.Builder();
        if (respond.location() != null) {
            headers.add("location", respond.location());
        }
        respond.sortedHeaders()
                .forEach((name, values) -> values.forEach(value -> headers.add(name, value)));
        Body body = respond.body().isEmpty() ? Body.EMPTY : Body.utf8(respond.body());
        return Response.of(respond.status(), headers.build(), body);
    }
}
