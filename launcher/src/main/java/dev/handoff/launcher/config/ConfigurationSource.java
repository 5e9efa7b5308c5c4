package dev.handoff.launcher.config;

/** Where a configuration comes from, and can be read from once more. */
public interface ConfigurationSource {
    /**
     * @throws ConfigurationException if the file is not as expected
     * @throws UsageException if an option or a variable is not
     */
    Configuration read() throws ConfigurationException, UsageException;
}
