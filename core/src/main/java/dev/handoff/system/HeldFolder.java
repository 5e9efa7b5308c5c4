package dev.handoff.system;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * A folder that stays the same whatever is put in its place, and in which names are looked up
 * without following a symbolic link. Belongs to one thread.
 */
public interface HeldFolder extends Closeable {
    /**
     * The folder of that name in it.
     *
     * @throws NotDirectoryException if it is something else, such as a link
     */
    HeldFolder below(Path name) throws IOException;

    /** Of whatever has that name. */
    BasicFileAttributes attributes(Path name) throws IOException;

    /** Opens a file as {@link RegularFile#openItself} does. */
    RegularFile file(Path name) throws IOException;
}
