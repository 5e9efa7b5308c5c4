package dev.handoff.launcher.check;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Starts a process of the worker. */
@FunctionalInterface
interface ProcessStart {
    /** As the core does: with the environment of this process. */
    ProcessStart USUAL =
            (command, added, removed) -> {
                ProcessBuilder builder = new ProcessBuilder(command);
                builder.redirectInput(new File("/dev/null")).redirectErrorStream(true);
                removed.forEach(builder.environment()::remove);
                builder.environment().putAll(added);
                return builder.start();
            };

    /**
     * @param added variables of its environment
     * @param removed variables that it must not inherit, unless they are added
     * @return the process, which writes stdout and stderr into one stream
     */
    Process start(List<String> command, Map<String, String> added, List<String> removed)
            throws IOException;
}
