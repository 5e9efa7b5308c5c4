package dev.handoff.system;

import java.io.IOException;
import java.nio.file.Path;

/** Holds folders, as far as the system can. Any thread. */
public final class HeldFolders {
    private HeldFolders() {}

    /** Opens a folder, to which a link may lead. */
    public static HeldFolder open(Path folder) throws IOException {
        return Descriptors.areKnown() ? DescriptorFolder.open(folder) : StreamFolder.open(folder);
    }
}
