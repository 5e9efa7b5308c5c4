package dev.handoff.process.supervise;

import dev.handoff.process.PoolEvent;
import dev.handoff.process.Processes;
import dev.handoff.process.TestPool;
import dev.handoff.process.TestWorker;
import dev.handoff.process.protocol.Message;
import java.io.IOException;
import java.util.List;

/**
 * Processes that a pool has started and that only tell their token, with which the test connects in
 * their stead.
 */
final class StartedWorkers {
    static final String TELLS_TOKEN = "echo $HANDOFF_TOKEN; exec sleep 1000";
    static final List<String> TELL_TOKEN = Processes.shell(TELLS_TOKEN);

    /** A process whose token nobody has used yet. */
    record Started(String name, long pid, String token) {}

    private final TestPool pool;

    StartedWorkers(TestPool pool) {
        this.pool = pool;
    }

    /** Waits for the next process of that name. */
    Started await(String name) {
        long pid =
                pool.events
                        .await(PoolEvent.Started.class, started -> started.worker().equals(name))
                        .pid();
        String token =
                pool.events
                        .await(
                                PoolEvent.Output.class,
                                output ->
                                        output.worker().equals(name)
                                                && output.stream() == ProcessListener.Output.STDOUT)
                        .line();
        return new Started(name, pid, token);
    }

    TestWorker join(Started started) throws IOException {
        return join(started, 100);
    }

    TestWorker join(Started started, int concurrency) throws IOException {
        TestWorker worker = TestWorker.connect(pool.path);
        worker.send(TestWorker.hello(concurrency, "default", started.token(), 1));
        worker.expect(Message.Welcome.class);
        pool.events.await(PoolEvent.Joined.class, joined -> joined.worker().equals(started.name()));
        return worker;
    }

    /** Waits for the next process of that name, and lets it be a worker. */
    TestWorker join(String name) throws IOException {
        return join(await(name));
    }

    PoolEvent.Exited awaitExit(String name) {
        return pool.events.await(PoolEvent.Exited.class, exited -> exited.worker().equals(name));
    }

    /** Closes the worker's connection as its drain asks for, and waits for its process to end. */
    void leave(String name, TestWorker worker) throws IOException {
        worker.expect(Message.Drain.class);
        end(name, worker);
    }

    /** The same for one that has been told to drain. */
    void end(String name, TestWorker worker) throws IOException {
        worker.die();
        pool.events.await(PoolEvent.Left.class, left -> left.worker().equals(name));
        pool.advance(ProcessRun.LEAVE_GRACE);
        awaitExit(name);
    }
}
