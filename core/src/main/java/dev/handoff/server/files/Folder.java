package dev.handoff.server.files;

import dev.handoff.system.ChangingException;
import dev.handoff.system.HeldFolder;
import dev.handoff.system.HeldFolders;
import dev.handoff.system.RegularFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens files below a folder, and nothing else.
 *
 * <p>It goes down from the folder name by name, each looked up in the folder that was opened
 * before, and never through a symbolic link. So whoever swaps a folder for a link meanwhile gains
 * nothing. Where there is a link, it asks the system where that leads, and goes down to that place
 * in the same way. It has to be below the folder, and not hidden.
 *
 * <p>Any thread that may wait for a disk.
 */
final class Folder {
    /** So often it looks again, if a file was swapped while it was opened. */
    private static final int MOST_TRIES = 5;

    /** NAME_MAX of Linux and others. */
    private static final int LONGEST_NAME_BYTES = 255;

    private final Path folder;

    /** A name is a symbolic link. */
    private static final class LinkException extends IOException {
        private static final long serialVersionUID = 1L;

        LinkException(String name) {
            super(name + " is a symbolic link");
        }
    }

    /**
     * @param folder which may be a link itself, and may change where that leads
     */
    Folder(Path folder) {
        this.folder = folder;
    }

    /**
     * Opens a file.
     *
     * @param names as {@link FilePath} has them; not empty
     */
    Found open(List<String> names) throws IOException {
        if (names.stream().anyMatch(Folder::isTooLong)) {
            return Found.Other.NOTHING;
        }
        Found found = Found.Other.CHANGING;
        for (int i = 0; i < MOST_TRIES && found == Found.Other.CHANGING; i++) {
            try {
                found = openOnce(names);
            } catch (IOException failure) {
                if (!isAboutALink(failure)) {
                    throw failure;
                }
            }
        }
        return found;
    }

    /** Whether a name became a link while it was opened (ELOOP): Java has no type for that. */
    private static boolean isAboutALink(IOException failure) {
        return String.valueOf(failure.getMessage()).contains("symbolic link");
    }

    /** The system refuses such a name, with an error like that of a broken disk. */
    private static boolean isTooLong(String name) {
        return name.getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME_BYTES;
    }

    private Found openOnce(List<String> names) throws IOException {
        try {
            return openPlain(names);
        } catch (LinkException link) {
            return openLinked(names);
        } catch (NoSuchFileException | InvalidPathException nothing) {
            return Found.Other.NOTHING;
        } catch (NotDirectoryException swapped) {
            return Found.Other.CHANGING;
        } catch (AccessDeniedException denied) {
            return Found.Other.UNREADABLE;
        }
    }

    private Found openLinked(List<String> names) throws IOException {
        List<String> real = realNames(names);
        if (real == null || isHidden(real)) {
            return Found.Other.NOTHING;
        }
        try {
            return real.isEmpty() ? Found.Other.FOLDER : openPlain(real);
        } catch (NoSuchFileException | NotDirectoryException | LinkException changed) {
            return Found.Other.CHANGING;
        } catch (AccessDeniedException denied) {
            return Found.Other.UNREADABLE;
        }
    }

    /**
     * Whether a link leads to what is hidden. Names that begin with two dots are not: Kubernetes
     * mounts the files of a ConfigMap as links through such folders.
     */
    private static boolean isHidden(List<String> real) {
        return FilePath.isHidden(real.stream().filter(name -> !name.startsWith("..")).toList());
    }

    /** Where the links lead; null for nowhere, and for a place that is not below the folder. */
    private @Nullable List<String> realNames(List<String> names) {
        try {
            Path top = folder.toRealPath();
            Path path = folder;
            for (String name : names) {
                path = path.resolve(name);
            }
            Path real = path.toRealPath();
            if (!real.startsWith(top)) {
                return null;
            }
            List<String> below = new ArrayList<>();
            if (!real.equals(top)) {
                top.relativize(real).forEach(name -> below.add(name.toString()));
            }
            return below;
        } catch (IOException nowhere) {
            // A link to nothing, or to itself, or into a folder that may not be read.
            return null;
        }
    }

    private Found openPlain(List<String> names) throws IOException {
        if (names.size() == 1) {
            // No name between that could be swapped for a link: the system may go down itself.
            return file(new Entry.At(folder.resolve(names.getFirst())));
        }
        HeldFolder at = HeldFolders.open(folder);
        try {
            for (String name : names.subList(0, names.size() - 1)) {
                HeldFolder below = below(at, Path.of(name));
                if (below == null) {
                    return Found.Other.NOTHING;
                }
                at.close();
                at = below;
            }
            return file(new Entry.In(at, Path.of(names.getLast())));
        } finally {
            at.close();
        }
    }

    private static @Nullable HeldFolder below(HeldFolder at, Path name) throws IOException {
        try {
            return at.below(name);
        } catch (NotDirectoryException other) {
            BasicFileAttributes attributes = attributes(new Entry.In(at, name));
            if (attributes != null && attributes.isDirectory()) {
                throw other;
            }
            return null;
        }
    }

    private static Found file(Entry entry) throws IOException {
        BasicFileAttributes before = attributes(entry);
        if (before == null) {
            return Found.Other.NOTHING;
        }
        if (!before.isRegularFile()) {
            return before.isDirectory() ? Found.Other.FOLDER : Found.Other.NOTHING;
        }
        try {
            RegularFile file = entry.open();
            return new OpenFile(file.channel(), file.attributes());
        } catch (NoSuchFileException | ChangingException changed) {
            return Found.Other.CHANGING;
        }
    }

    /** Null for nothing. */
    private static @Nullable BasicFileAttributes attributes(Entry entry) throws IOException {
        BasicFileAttributes attributes;
        try {
            attributes = entry.attributes();
        } catch (NoSuchFileException none) {
            return null;
        }
        if (attributes.isSymbolicLink()) {
            throw new LinkException(entry.toString());
        }
        return attributes;
    }

    /** A name in a folder, which is not followed if it is a link. */
    private sealed interface Entry {
        BasicFileAttributes attributes() throws IOException;

        RegularFile open() throws IOException;

        /** In a folder that is open. */
        record In(HeldFolder folder, Path name) implements Entry {
            @Override
            public BasicFileAttributes attributes() throws IOException {
                return folder.attributes(name);
            }

            @Override
            public RegularFile open() throws IOException {
                return folder.file(name);
            }
        }

        /** At a path of whose other names any may be a link. */
        record At(Path path) implements Entry {
            @Override
            public BasicFileAttributes attributes() throws IOException {
                return Files.readAttributes(
                        path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            }

            @Override
            public RegularFile open() throws IOException {
                return RegularFile.openItself(path);
            }
        }
    }
}
