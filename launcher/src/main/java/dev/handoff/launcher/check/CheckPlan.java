package dev.handoff.launcher.check;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What {@code handoff check} is to try.
 *
 * @param title what the user calls the worker
 * @param arguments the program and its arguments
 * @param environment added to that of this process
 * @param only the names of the cases to run; empty for all of them
 * @param echo the target of the route that echoes requests, or null
 * @param stream the target of a route that responds in pieces, or null
 * @param webSocket the target of a route that echoes the messages of a WebSocket, or null
 * @param timeout the longest wait for what a worker has to do
 * @param startTimeout the longest wait for a worker to start
 * @param measured how long to measure; zero for not at all
 */
public record CheckPlan(
        String title,
        List<String> arguments,
        Map<String, String> environment,
        Set<String> only,
        @Nullable String echo,
        @Nullable String stream,
        @Nullable String webSocket,
        Duration timeout,
        Duration startTimeout,
        Duration measured) {

    /** A start may take so many times as long as anything else: 60 s of 10 s, as for the core. */
    private static final int START_TIMEOUTS = 6;

    public CheckPlan {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        only = Set.copyOf(only);
    }

    /** A plan with the usual time for starts. */
    public CheckPlan(
            String title,
            List<String> arguments,
            Map<String, String> environment,
            Set<String> only,
            @Nullable String echo,
            @Nullable String stream,
            @Nullable String webSocket,
            Duration timeout,
            Duration measured) {
        this(
                title,
                arguments,
                environment,
                only,
                echo,
                stream,
                webSocket,
                timeout,
                timeout.multipliedBy(START_TIMEOUTS),
                measured);
    }
}
