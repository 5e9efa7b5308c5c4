package dev.handoff.launcher.config;

import java.util.List;

/** A configuration file is not what was expected. The message has a line for each complaint. */
public final class ConfigurationException extends Exception {
    private static final long serialVersionUID = 1;

    ConfigurationException(List<String> lines) {
        super(String.join("\n", lines));
    }
}
