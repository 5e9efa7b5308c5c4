package dev.handoff.process.supervise;

import dev.handoff.loop.Clock;
import dev.handoff.loop.EventLoops;
import dev.handoff.loop.LoopListener;
import dev.handoff.process.PoolListener;
import dev.handoff.process.WorkerPool;
import dev.handoff.process.dispatch.PoolLimits;
import dev.handoff.process.join.WorkerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A core in a JVM of its own, to be killed: prints the pid of each process it starts. */
final class CoreInChild {
    private CoreInChild() {}

    /**
     * @param arguments the socket's path, then the command of two workers
     */
    public static void main(String[] arguments) throws Exception {
        EventLoops loops = EventLoops.start("core", 1, Clock.SYSTEM, LoopListener.NONE);
        PoolListener listener =
                new PoolListener() {
                    @Override
                    public void onOutput(String worker, Output stream, String line) {
                        System.out.println(line);
                    }
                };
        WorkerPool pool =
                new WorkerPool(
                        "default", loops.get(0), PoolLimits.DEFAULT, List.of(listener), "test");
        Path path = Path.of(arguments[0]);
        WorkerSocket.open(path, List.of(pool.entrance()), loops.get(0));
        List<String> command = List.of(arguments).subList(1, arguments.length);
        pool.supervise(
                new WorkerCommand(command, Map.of(), path),
                2,
                new ProcessStarter(System.getenv("PATH")));
    }
}
