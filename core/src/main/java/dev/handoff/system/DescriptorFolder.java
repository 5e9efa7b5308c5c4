package dev.handoff.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** A folder as Linux holds it. */
final class DescriptorFolder implements HeldFolder {
    private static final int FOLDER = Descriptors.O_PATH | Descriptors.O_DIRECTORY;

    private final int descriptor;
    private final Path path;

    private DescriptorFolder(int descriptor) {
        this.descriptor = descriptor;
        this.path = Descriptors.path(descriptor);
    }

    static DescriptorFolder open(Path folder) throws IOException {
        return new DescriptorFolder(Descriptors.open(folder, FOLDER));
    }

    @Override
    public HeldFolder below(Path name) throws IOException {
        return new DescriptorFolder(
                Descriptors.open(path.resolve(name), FOLDER | Descriptors.O_NOFOLLOW));
    }

    @Override
    public BasicFileAttributes attributes(Path name) throws IOException {
        return Files.readAttributes(
                path.resolve(name), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public RegularFile file(Path name) throws IOException {
        return RegularFile.openItself(path.resolve(name));
    }

    @Override
    public void close() {
        Descriptors.close(descriptor);
    }
}
