package dev.handoff.system;

import java.io.Closeable;
import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Files that are opened with flags that Java does not know. Any thread. */
final class Descriptors {
    /** Not to wait for the other end of a pipe, nor for who has a lease on a file. */
    static final int O_NONBLOCK = 04000;

    /** What is there is found and not opened. */
    static final int O_PATH = 010000000;

    static final int O_DIRECTORY = isArm() ? 040000 : 0200000;
    static final int O_NOFOLLOW = isArm() ? 0100000 : 0400000;
    private static final int O_NOCTTY = 0400;
    private static final int O_CLOEXEC = 02000000;

    private static final int ENOENT = 2;
    private static final int ENXIO = 6;
    private static final int EAGAIN = 11;
    private static final int EACCES = 13;
    private static final int ENOTDIR = 20;
    private static final int ENFILE = 23;
    private static final int EMFILE = 24;
    private static final int ELOOP = 40;

    private static final Path OWN = Path.of("/proc/self/fd");

    /** In which Java names files. */
    private static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding"));

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
            STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final @Nullable MethodHandle OPEN =
            SystemLibrary.function(
                    "open",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT,
                            ValueLayout.ADDRESS,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT),
                    Linker.Option.firstVariadicArg(2),
                    Linker.Option.captureCallState("errno"));

    private static final @Nullable MethodHandle CLOSE =
            SystemLibrary.function(
                    "close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    /** How Java makes its descriptor from the system's. */
    private static final @Nullable MethodHandle DESCRIPTOR =
            SystemLibrary.ofChannels("IOUtil", "newFD", int.class);

    private static final @Nullable MethodHandle CHANNEL = channel();

    private Descriptors() {}

    private static boolean isArm() {
        return System.getProperty("os.arch", "").equals("aarch64");
    }

    private static @Nullable MethodHandle channel() {
        MethodHandle open =
                SystemLibrary.ofChannels(
                        "FileChannelImpl",
                        "open",
                        FileDescriptor.class,
                        String.class,
                        boolean.class,
                        boolean.class,
                        boolean.class,
                        boolean.class,
                        Closeable.class);
        return open == null
                ? null
                : open.asType(
                        MethodType.methodType(
                                FileChannel.class,
                                FileDescriptor.class,
                                String.class,
                                boolean.class,
                                boolean.class,
                                boolean.class,
                                boolean.class,
                                Closeable.class));
    }

    /** Whether this system and this Java can. */
    static boolean areKnown() {
        return Known.ALL;
    }

    /** Asked once. */
    private static final class Known {
        static final boolean ALL =
                OPEN != null
                        && CLOSE != null
                        && DESCRIPTOR != null
                        && CHANNEL != null
                        && Files.isDirectory(OWN);
    }

    /** The name by which this process finds what a descriptor stands for. */
    static Path path(int descriptor) {
        return OWN.resolve(Integer.toString(descriptor));
    }

    /** Opens for reading; the exceptions are those of the other. */
    static int open(Path path, int flags) throws IOException {
        return open(path, flags, path);
    }

    /**
     * Opens for reading.
     *
     * @param found where it is
     * @param path of which messages tell
     * @throws ChangingException if another program holds a lease on it, or it is a socket
     */
    static int open(Path found, int flags, Path path) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            MemorySegment name = arena.allocateFrom(found.toString(), NAMES);
            int all = flags | O_CLOEXEC | O_NOCTTY;
            int descriptor = (int) known(OPEN).invokeExact(state, name, all, 0);
            if (descriptor < 0) {
                throw failure(path, (int) ERRNO.get(state, 0L));
            }
            return descriptor;
        } catch (IOException | RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    static void close(int descriptor) {
        try {
            // Nothing was written to it.
            int _ = (int) known(CLOSE).invokeExact(descriptor);
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** A channel that reads, and closes the descriptor in the end. */
    static FileChannel channel(int descriptor, Path path) {
        try {
            FileDescriptor own = (FileDescriptor) known(DESCRIPTOR).invokeExact(descriptor);
            return (FileChannel)
                    known(CHANNEL)
                            .invokeExact(
                                    own,
                                    path.toString(),
                                    true,
                                    false,
                                    false,
                                    false,
                                    (Closeable) null);
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static MethodHandle known(@Nullable MethodHandle handle) {
        if (handle == null) {
            throw new IllegalStateException("this system cannot");
        }
        return handle;
    }

    private static IOException failure(Path path, int number) {
        String name = path.toString();
        return switch (number) {
            case ENOENT -> new NoSuchFileException(name);
            case EACCES -> new AccessDeniedException(name);
            case ENOTDIR -> new NotDirectoryException(name);
            case ENXIO -> new ChangingException(path + " is no regular file");
            case EAGAIN -> new ChangingException("another program holds a lease on " + path);
            case ELOOP -> new ChangingException(path + " is a symbolic link");
            case EMFILE, ENFILE -> new FileSystemException(name, null, "Too many open files");
            default -> new FileSystemException(name, null, "error " + number + " of the system");
        };
    }
}
