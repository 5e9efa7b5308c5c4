package dev.handoff.launcher;

import org.jspecify.annotations.Nullable;

/** Which Handoff this is, as the build wrote it into the jar's manifest. */
final class Version {
    static final String NUMBER = number(Version.class.getPackage().getImplementationVersion());
    static final String NAME_AND_NUMBER = "Handoff " + NUMBER;

    private Version() {}

    /** The version, which Java runs it, and the system, for {@code --version} and bug reports. */
    static String full() {
        return "%s (Java %s of %s in %s, %s %s)"
                .formatted(
                        NAME_AND_NUMBER,
                        Runtime.version(),
                        System.getProperty("java.vendor"),
                        System.getProperty("java.home"),
                        System.getProperty("os.name"),
                        System.getProperty("os.arch"));
    }

    private static String number(@Nullable String fromManifest) {
        return fromManifest == null ? "(unpacked classes)" : fromManifest;
    }
}
