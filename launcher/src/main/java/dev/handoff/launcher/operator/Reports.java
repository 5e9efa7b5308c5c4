package dev.handoff.launcher.operator;

import dev.handoff.process.protocol.SafeText;

/** What {@code handoff stats} and {@code handoff reset} print. */
public final class Reports {
    private final AdminClient server;
    private final boolean json;

    /**
     * @param json as the server's JSON, not as text
     */
    public Reports(AdminClient server, boolean json) {
        this.server = server;
        this.json = json;
    }

    /** The counts since the last reset, or, with {@code previous}, of the window before it. */
    public String window(boolean previous) throws AdminException {
        return printable(server.get(previous ? "/stats?window=previous" : "/stats", accepted()));
    }

    /** Begins a new window; returns the counts of the one that this closes. */
    public String reset() throws AdminException {
        return printable(server.post("/stats/reset", accepted()));
    }

    private String accepted() {
        return json ? "application/json" : "text/plain";
    }

    private String printable(String response) {
        return SafeText.lines(json ? response.strip() : response);
    }
}
