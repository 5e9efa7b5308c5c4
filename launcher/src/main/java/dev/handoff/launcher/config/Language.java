package dev.handoff.launcher.config;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A language that is known by the extensions of its files. */
enum Language {
    PYTHON(".py", "python3 python", "Python 3.10 or later"),
    NODE(".js .mjs .cjs .ts", "node", "Node.js 20 or later"),
    RUBY(".rb", "ruby", "Ruby"),
    PHP(".php", "php", "the command line version of PHP"),
    PERL(".pl", "perl", "Perl"),
    SHELL(".sh", "sh", "a POSIX shell");

    private static final List<String> COMPILED =
            words(".c .cc .cpp .cs .go .hs .java .kt .ml .nim .rs .swift .zig");

    private final String extensions;
    private final String programs;
    private final String toInstall;

    /** Several extensions or programs are separated by blanks. */
    Language(String extensions, String programs, String toInstall) {
        this.extensions = extensions;
        this.programs = programs;
        this.toInstall = toInstall;
    }

    static @Nullable Language ofFile(String name) {
        for (Language language : values()) {
            if (words(language.extensions).stream().anyMatch(name::endsWith)) {
                return language;
            }
        }
        return null;
    }

    /** Whether a file is the source of a program that has to be made first. */
    static boolean isCompiled(String name) {
        return COMPILED.stream().anyMatch(name::endsWith);
    }

    static String allExtensions() {
        return Arrays.stream(values())
                .map(language -> language.extensions)
                .collect(Collectors.joining(" "));
    }

    /** The names of its interpreter, the best first. */
    List<String> programs() {
        return words(programs);
    }

    /** What a user without an interpreter has to install. */
    String toInstall() {
        return toInstall;
    }

    private static List<String> words(String text) {
        return List.of(text.split(" ", -1));
    }
}
