package dev.handoff.admin.api;

import dev.handoff.http.Response;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * One thing that the admin server tells or does.
 *
 * @param method GET, which brings HEAD with it, or POST
 * @param path segments, one of which may be a name in braces that stands for any: {@code
 *     /workers/{worker}/drain}
 * @param parameters of the query; any other is refused
 */
public record Endpoint(
        String method, String path, Access access, Set<String> parameters, Operation operation) {

    /** Who may call it. */
    public enum Access {
        /** Everybody who reaches the port: probes, and the page that asks for the token. */
        OPEN,
        /** Callers with the token, if one is set. */
        TOKEN
    }

    /** What is done for a call. */
    @FunctionalInterface
    public interface Operation {
        /**
         * Called on the loop of the admin server: it must not block.
         *
         * @return may be completed by any thread
         * @throws ProblemException if the call cannot be answered as it wants
         */
        CompletionStage<Response> answer(Call call) throws ProblemException;
    }

    public Endpoint {
        parameters = Set.copyOf(parameters);
    }

    public static Endpoint get(String path, Operation operation) {
        return new Endpoint("GET", path, Access.TOKEN, Set.of(), operation);
    }

    public static Endpoint post(String path, Operation operation) {
        return new Endpoint("POST", path, Access.TOKEN, Set.of(), operation);
    }

    /** This endpoint, for everybody. */
    public Endpoint open() {
        return new Endpoint(method, path, Access.OPEN, parameters, operation);
    }

    /** This endpoint, with these query parameters. */
    public Endpoint taking(String... names) {
        return new Endpoint(method, path, access, Set.of(names), operation);
    }
}
