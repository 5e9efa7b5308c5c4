package dev.handoff.admin.page;

import org.jspecify.annotations.Nullable;

/**
 * One file of the page, read when it is first asked for and then kept. To read all files would take
 * an eighth of every start, and most servers are never asked. On the admin server's loop.
 */
final class LazyPageFile {
    private final String name;
    private @Nullable PageFile file;

    /**
     * @param name of the resource, relative to this package
     */
    LazyPageFile(String name) {
        this.name = name;
    }

    /**
     * @throws IllegalStateException if the application was built without it
     */
    PageFile read() {
        PageFile present = file;
        if (present == null) {
            present = PageFile.read(name);
            file = present;
        }
        return present;
    }
}
