package dev.handoff.system;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A file that is open for reading. Whoever may write in its folder can put a named pipe in its
 * place at any moment, also after a look at it, and whoever opens that in the usual way waits for
 * somebody who writes, in a thread that cannot be ended. On Linux nothing waits here.
 *
 * @param attributes as they were when it was opened
 */
public record RegularFile(SeekableByteChannel channel, BasicFileAttributes attributes)
        implements Closeable {
    /**
     * Opens a file, or what a link leads to.
     *
     * @throws ChangingException if it is no regular file, or somebody holds a lease on it
     */
    public static RegularFile open(Path path) throws IOException {
        if (!Descriptors.areKnown()) {
            return openAsJavaDoes(path);
        }
        // What a link leads to may be a device, and to open that may do something.
        int found = Descriptors.open(path, Descriptors.O_PATH);
        try {
            Path held = Descriptors.path(found);
            if (!Files.isRegularFile(held)) {
                throw noRegularFile(path);
            }
            return opened(Descriptors.open(held, Descriptors.O_NONBLOCK, path), path);
        } finally {
            Descriptors.close(found);
        }
    }

    /** Its first bytes, so many at most; the exceptions are those of {@link #open}. */
    public static byte[] beginning(Path path, int mostBytes) throws IOException {
        try (RegularFile file = open(path);
                InputStream in = Channels.newInputStream(file.channel)) {
            return in.readNBytes(mostBytes);
        }
    }

    /**
     * Opens what was a regular file a moment ago, but no link.
     *
     * @throws ChangingException if it is none any more, or somebody holds a lease on it
     */
    public static RegularFile openItself(Path path) throws IOException {
        return Descriptors.areKnown()
                ? opened(
                        Descriptors.open(path, Descriptors.O_NONBLOCK | Descriptors.O_NOFOLLOW),
                        path)
                : openAsJavaDoes(path, LinkOption.NOFOLLOW_LINKS);
    }

    private static RegularFile opened(int descriptor, Path path) throws IOException {
        SeekableByteChannel channel = Descriptors.channel(descriptor, path);
        boolean taken = false;
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(Descriptors.path(descriptor), BasicFileAttributes.class);
            if (!attributes.isRegularFile()) {
                throw noRegularFile(path);
            }
            taken = true;
            return new RegularFile(channel, attributes);
        } finally {
            if (!taken) {
                channel.close();
            }
        }
    }

    private static RegularFile openAsJavaDoes(Path path, LinkOption... options) throws IOException {
        Set<OpenOption> all = new HashSet<>(List.of(options));
        all.add(StandardOpenOption.READ);
        return openAsJavaDoes(
                path,
                () -> Files.readAttributes(path, BasicFileAttributes.class, options),
                () -> Files.newByteChannel(path, all));
    }

    /** Reads or opens something. */
    interface Call<T> {
        T now() throws IOException;
    }

    /** Looks before, for it would wait at a pipe, and behind. */
    static RegularFile openAsJavaDoes(
            Path name, Call<BasicFileAttributes> look, Call<SeekableByteChannel> open)
            throws IOException {
        BasicFileAttributes before = look.now();
        if (!before.isRegularFile()) {
            throw noRegularFile(name);
        }
        SeekableByteChannel channel = open.now();
        boolean taken = false;
        try {
            BasicFileAttributes after = look.now();
            if (!Objects.equals(before.fileKey(), after.fileKey())) {
                throw new ChangingException(name + " is another file each time");
            }
            taken = true;
            return new RegularFile(channel, after);
        } finally {
            if (!taken) {
                channel.close();
            }
        }
    }

    private static ChangingException noRegularFile(Path path) {
        return new ChangingException(path + " is no regular file");
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
