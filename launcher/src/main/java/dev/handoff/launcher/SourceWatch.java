package dev.handoff.launcher;

import dev.handoff.launcher.config.StartException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.FileVisitResult;
import java.nio.file.FileVisitor;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Notices changes of the files below a folder, and reports them once no more come for a moment: an
 * editor writes a file in several steps, and a checkout writes many. Runs on a thread of its own.
 */
final class SourceWatch {
    /** A burst of changes is over when none came for this long. */
    static final Duration QUIET = Duration.ofMillis(200);

    /** The longest wait for the end of a burst. */
    static final Duration LONGEST = Duration.ofSeconds(2);

    /** The system has a limit too; more folders than this are probably the wrong ones. */
    static final int MOST_FOLDERS = 5_000;

    private static final System.Logger LOG = System.getLogger(SourceWatch.class.getName());

    private final Consumer<Path> listener;
    private final WatchService service;
    private final Map<WatchKey, Path> folders = new HashMap<>();
    private boolean complained;

    private SourceWatch(WatchService service, Consumer<Path> listener) {
        this.service = service;
        this.listener = listener;
    }

    /**
     * Watches until the process ends.
     *
     * @param listener told the first file of each burst of changes; called on the watching thread
     */
    static void start(Path folder, Consumer<Path> listener) throws StartException {
        try {
            if (!Files.isDirectory(folder)) {
                throw new IOException("there is no such folder");
            }
            SourceWatch watch = new SourceWatch(folder.getFileSystem().newWatchService(), listener);
            watch.addTree(folder);
            Thread.ofPlatform().name("handoff-watch").daemon().start(watch::watchForever);
        } catch (IOException failure) {
            throw new StartException(
                    "cannot watch %s (--watch): %s".formatted(folder, failure.getMessage()),
                    failure);
        }
    }

    private void watchForever() {
        try {
            while (true) {
                Path changed = take(service.take());
                if (changed != null) {
                    awaitRest();
                    listener.accept(changed);
                }
            }
        } catch (InterruptedException neverSent) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitRest() throws InterruptedException {
        long latestNanos = System.nanoTime() + LONGEST.toNanos();
        long quietNanos = QUIET.toNanos();
        long restNanos = System.nanoTime() + quietNanos;
        WatchKey key = service.poll(quietNanos, TimeUnit.NANOSECONDS);
        while (key != null && System.nanoTime() - latestNanos < 0) {
            if (take(key) != null) {
                restNanos = System.nanoTime() + quietNanos;
            }
            // Files that do not matter, such as a growing log, do not delay the restart.
            long leftNanos = Math.max(0, restNanos - System.nanoTime());
            key = service.poll(leftNanos, TimeUnit.NANOSECONDS);
        }
        if (key != null) {
            take(key);
        }
    }

    /** The first file among the events that matters, or null. */
    private @Nullable Path take(WatchKey key) {
        Path folder = folders.get(key);
        Path first = null;
        for (WatchEvent<?> event : key.pollEvents()) {
            Path changed = folder == null ? null : changed(folder, event);
            first = first == null ? changed : first;
        }
        if (!key.reset()) {
            folders.remove(key);
        }
        return first;
    }

    private @Nullable Path changed(Path folder, WatchEvent<?> event) {
        if (!(event.context() instanceof Path name)) {
            // More happened than could be kept: new folders may be among it.
            addWithNotice(folder);
            return folder;
        }
        Path path = folder.resolve(name);
        boolean isFolder = Files.isDirectory(path);
        if (isFolder ? IgnoredFiles.ignoresFolder(path) : IgnoredFiles.ignoresFile(path)) {
            return null;
        }
        if (isFolder && event.kind().equals(StandardWatchEventKinds.ENTRY_CREATE)) {
            addWithNotice(path);
        }
        // What changes in a folder is told by its own events.
        return isFolder && event.kind().equals(StandardWatchEventKinds.ENTRY_MODIFY) ? null : path;
    }

    private void addWithNotice(Path folder) {
        try {
            addTree(folder);
        } catch (IOException failure) {
            complain("changes below %s are not noticed: %s".formatted(folder, failure));
        }
    }

    private void addTree(Path top) throws IOException {
        FileVisitor<Path> adder =
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path folder, BasicFileAttributes attributes) throws IOException {
                        if (!folder.equals(top) && IgnoredFiles.ignoresFolder(folder)) {
                            return FileVisitResult.SKIP_SUBTREE;
                        }
                        return add(folder);
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException gone) {
                        return FileVisitResult.CONTINUE;
                    }
                };
        Files.walkFileTree(top, adder);
    }

    private FileVisitResult add(Path folder) throws IOException {
        if (folders.size() >= MOST_FOLDERS) {
            complain("only the first %d folders are watched".formatted(MOST_FOLDERS));
            return FileVisitResult.TERMINATE;
        }
        try {
            WatchKey key =
                    folder.register(
                            service,
                            StandardWatchEventKinds.ENTRY_CREATE,
                            StandardWatchEventKinds.ENTRY_MODIFY,
                            StandardWatchEventKinds.ENTRY_DELETE);
            folders.put(key, folder);
            return FileVisitResult.CONTINUE;
        } catch (NoSuchFileException goneMeanwhile) {
            return FileVisitResult.SKIP_SUBTREE;
        }
    }

    private void complain(String message) {
        if (!complained) {
            complained = true;
            LOG.log(Level.WARNING, message);
        }
    }
}
