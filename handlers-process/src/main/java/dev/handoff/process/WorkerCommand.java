package dev.handoff.process;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * How a pool's processes are started.
 *
 * @param arguments the program and its arguments
 * @param environment added to the core's own
 * @param socket where workers find the core
 */
public record WorkerCommand(List<String> arguments, Map<String, String> environment, Path socket) {
    public WorkerCommand {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        if (arguments.isEmpty()) {
            throw new IllegalArgumentException("a command without a program");
        }
    }
}
