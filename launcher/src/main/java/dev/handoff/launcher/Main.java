package dev.handoff.launcher;

/** Where the program begins and ends. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        Thread.setDefaultUncaughtExceptionHandler(new DeadThreadExit());
        // By exit, since the threads of the event loops would keep a failed start alive.
        System.exit(new HandoffCommandLine(System.getenv(), arguments).execute());
    }
}
