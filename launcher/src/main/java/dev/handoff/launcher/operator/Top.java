package dev.handoff.launcher.operator;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.AttributedString;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.NonBlockingReader;
import org.jspecify.annotations.Nullable;

/** The live view in the terminal: asks the server again and again until its user quits. */
public final class Top {
    private static final int CTRL_C = 3;
    private static final int NO_KEY = NonBlockingReader.READ_EXPIRED;
    private static final int END_OF_INPUT = NonBlockingReader.EOF;

    /** How soon the view is redrawn after a change of the terminal's size. */
    private static final long LOOK_MILLIS = 100;

    private final AdminClient server;
    private final long intervalNanos;
    private WorkerOrder order = WorkerOrder.IN_FLIGHT;
    private boolean paused;
    private @Nullable Sample sample;
    private Map<String, Double> workerRates = Map.of();
    private String notice = "";

    public Top(AdminClient server, Duration interval) {
        this.server = server;
        this.intervalNanos = interval.toNanos();
    }

    /** The view of this moment as plain text, of any size. */
    public String once() throws AdminException {
        List<String> lines = new ArrayList<>();
        for (AttributedString line : new TopScreen(Sample.take(server), Map.of(), order).lines()) {
            lines.add(line.toString().stripTrailing());
        }
        return String.join("\n", lines);
    }

    /**
     * Shows the view until q or Ctrl-C, and leaves the terminal as it was.
     *
     * @throws AdminException if the server cannot be asked at all, or this is no terminal; a server
     *     that goes away later is waited for
     */
    public void show() throws AdminException {
        look();
        try (Terminal terminal = open()) {
            Attributes before = terminal.enterRawMode();
            Attributes raw = new Attributes(terminal.getAttributes());
            // Ctrl-C is a key like others, so that the screen is always put back.
            raw.setLocalFlag(Attributes.LocalFlag.ISIG, false);
            terminal.setAttributes(raw);
            terminal.puts(Capability.enter_ca_mode);
            terminal.puts(Capability.cursor_invisible);
            try {
                showOn(terminal);
            } finally {
                terminal.puts(Capability.cursor_visible);
                terminal.puts(Capability.exit_ca_mode);
                terminal.setAttributes(before);
                terminal.flush();
            }
        } catch (IOException failure) {
            throw new AdminException("the terminal does not work: " + failure.getMessage());
        }
    }

    private static Terminal open() throws AdminException, IOException {
        try {
            // With the program stty, which is everywhere, and so without native code.
            Terminal terminal =
                    TerminalBuilder.builder()
                            .system(true)
                            .dumb(false)
                            .exec(true)
                            .ffm(false)
                            .jni(false)
                            .build();
            // TERM=dumb gets one all the same, even where there is none.
            if (terminal.getType().startsWith(Terminal.TYPE_DUMB)) {
                terminal.close();
                throw noTerminal();
            }
            return terminal;
        } catch (IllegalStateException none) {
            throw noTerminal();
        }
    }

    private static AdminException noTerminal() {
        return new AdminException(
                "'handoff top' needs a terminal; 'handoff top --once' prints the view and ends");
    }

    private void showOn(Terminal terminal) throws IOException {
        Display display = new Display(terminal, true);
        Size size = new Size();
        long nextLookNanos = System.nanoTime() + intervalNanos;
        boolean changed = true;
        while (true) {
            Size now = terminal.getSize();
            if (changed || !now.equals(size)) {
                size = now;
                draw(display, size);
            }
            int key = terminal.reader().read(LOOK_MILLIS);
            if (key == 'q' || key == CTRL_C || key == END_OF_INPUT) {
                return;
            }
            changed = key != NO_KEY;
            if (changed) {
                press(key);
            }
            if (!paused && System.nanoTime() - nextLookNanos >= 0) {
                lookAgain();
                nextLookNanos = System.nanoTime() + intervalNanos;
                changed = true;
            }
        }
    }

    private void press(int key) {
        notice = "";
        switch (key) {
            case 's' -> order = order.next();
            case 'p', ' ' -> paused = !paused;
            case 'r' -> reset();
            default -> {}
        }
    }

    private void reset() {
        try {
            server.post("/stats/reset", "application/json");
            notice = "a new window has begun";
            look();
        } catch (AdminException failure) {
            notice = "not reset: " + failure.getMessage();
        }
    }

    private void lookAgain() {
        try {
            look();
            notice = "";
        } catch (AdminException gone) {
            notice = "what follows is old: " + gone.getMessage();
        }
    }

    private void look() throws AdminException {
        Sample before = sample;
        Sample now = Sample.take(server);
        // Rates from two samples that lie close together would jump.
        if (before == null) {
            workerRates = Map.of();
        } else if (now.takenNanos() - before.takenNanos() > TimeUnit.MILLISECONDS.toNanos(500)) {
            workerRates = now.workerRatesSince(before);
        }
        sample = now;
    }

    private void draw(Display display, Size size) {
        Sample shown = sample;
        // A terminal of unknown size reports 0.
        int rows = Math.max(size.getRows(), 1);
        int columns = Math.max(size.getColumns(), 1);
        List<AttributedString> lines = new ArrayList<>();
        lines.add(status());
        if (shown != null) {
            lines.addAll(new TopScreen(shown, workerRates, order).lines(rows - 1));
        }
        display.resize(rows, columns);
        display.update(
                lines.stream().limit(rows).map(line -> line.columnSubSequence(0, columns)).toList(),
                0);
    }

    private AttributedString status() {
        return notice.isEmpty()
                ? new AttributedString(
                        "q quit   s sort (%s)   p %s   r reset the window"
                                .formatted(order.title(), paused ? "go on" : "pause"),
                        Style.QUIET)
                : new AttributedString("! " + notice, Style.ALARM);
    }
}
