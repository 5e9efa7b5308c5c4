package dev.handoff.launcher;

import java.security.SecureRandom;

/** Where the program begins and ends. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        // The first random number takes some 10 ms, in which the command line can be read.
        Thread.ofPlatform().name("handoff-random").daemon().start(SecureRandom::new);
        Thread.setDefaultUncaughtExceptionHandler(new DeadThreadExit());
        // By exit, since the threads of the event loops would keep a failed start alive.
        System.exit(new HandoffCommandLine(System.getenv(), arguments).execute());
    }
}
