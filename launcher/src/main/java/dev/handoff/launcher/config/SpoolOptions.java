package dev.handoff.launcher.config;

import java.nio.file.Path;

/**
 * Where large requests wait.
 *
 * @param memoryBytes content of up to so many bytes stays in memory
 * @param mostBytes what all files together may have
 */
public record SpoolOptions(Path directory, int memoryBytes, long mostBytes) {
    static SpoolOptions from(Options options) throws UsageException {
        Path directory = options.find(AllSettings.SPOOL_DIRECTORY);
        return new SpoolOptions(
                directory == null ? Path.of(System.getProperty("java.io.tmpdir")) : directory,
                options.get(AllSettings.MAX_BODY_IN_MEMORY).intValue(),
                options.get(AllSettings.MAX_SPOOLED));
    }
}
