package dev.handoff.launcher.config;

/** Reads a configuration, as often as it is asked to. */
public interface ConfigurationSource {
    /**
     * @throws ConfigurationException if the file is not as expected
     * @throws UsageException if an option or a variable is not
     */
    Configuration read() throws ConfigurationException, UsageException;
}
