package dev.handoff.system;

import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;

/** A folder as Java holds it. */
final class StreamFolder implements HeldFolder {
    private static final Set<OpenOption> READ =
            Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

    private final SecureDirectoryStream<Path> stream;

    private StreamFolder(SecureDirectoryStream<Path> stream) {
        this.stream = stream;
    }

    // The caller closes it.
    @SuppressWarnings("StreamResourceLeak")
    static StreamFolder open(Path folder) throws IOException {
        DirectoryStream<Path> opened = Files.newDirectoryStream(folder);
        if (opened instanceof SecureDirectoryStream<Path> secure) {
            return new StreamFolder(secure);
        }
        opened.close();
        throw new IOException("this system cannot open files in " + folder + " safely");
    }

    @Override
    public HeldFolder below(Path name) throws IOException {
        // Looked at first, since to open a pipe would wait for somebody who writes.
        if (!attributes(name).isDirectory()) {
            throw new NotDirectoryException(name.toString());
        }
        return new StreamFolder(stream.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS));
    }

    @Override
    public BasicFileAttributes attributes(Path name) throws IOException {
        return stream.getFileAttributeView(
                        name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes();
    }

    @Override
    public RegularFile file(Path name) throws IOException {
        return RegularFile.openAsJavaDoes(name, () -> attributes(name), () -> channel(name));
    }

    private SeekableByteChannel channel(Path name) throws IOException {
        return stream.newByteChannel(name, READ);
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
