package dev.handoff.launcher.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Set;

/**
 * What the rights of folders say of every other user at once. It is not all, as there are groups
 * and lists of access: where it says no, a process of that user can tell. But whoever is asked so
 * can also be kept from answering by that user's other processes.
 */
public final class FolderRights {
    private static final int STICKY_BIT = 01000;

    private FolderRights() {}

    /** Whether every user may pass through a folder, and all above it. */
    static boolean letAllPass(Path folder) throws IOException {
        for (Path way : ways(folder)) {
            for (Path each = way; each != null; each = each.getParent()) {
                if (!permissions(each).contains(PosixFilePermission.OTHERS_EXECUTE)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Whether another user than root and us may put another file in the place of this one. */
    public static boolean mayOthersReplace(Path file) {
        try {
            return !letNobodyReplace(file);
        } catch (IOException notThere) {
            return false;
        }
    }

    /** Whether nobody but root and us may put another file in the place of this one. */
    static boolean letNobodyReplace(Path file) throws IOException {
        for (Path way : ways(file)) {
            Path below = way;
            for (Path each = way.getParent(); each != null; each = each.getParent()) {
                if (Owners.isAStrangers(each.toRealPath()) || mayReplace(each, below)) {
                    return false;
                }
                below = each;
            }
        }
        return true;
    }

    private static boolean mayReplace(Path folder, Path file) throws IOException {
        Set<PosixFilePermission> permissions = permissions(folder);
        // A list of access gives nobody more than the group has.
        boolean othersWrite =
                permissions.contains(PosixFilePermission.OTHERS_WRITE)
                        || permissions.contains(PosixFilePermission.GROUP_WRITE);
        boolean othersFile =
                Files.exists(file, LinkOption.NOFOLLOW_LINKS) && Owners.isAStrangers(file);
        return othersWrite && (!isSticky(folder) || othersFile);
    }

    /** As it is written, with the links on it, and where it leads. The file need not be there. */
    static List<Path> ways(Path file) throws IOException {
        Path absolute = file.toAbsolutePath();
        Path folder = absolute.getParent();
        Path real =
                folder == null || Files.exists(absolute)
                        ? absolute.toRealPath()
                        : folder.toRealPath().resolve(absolute.getFileName());
        return List.of(absolute, real);
    }

    private static Set<PosixFilePermission> permissions(Path folder) throws IOException {
        return Files.getPosixFilePermissions(folder);
    }

    /** Whether nobody can rename or remove there what is not theirs. */
    static boolean isSticky(Path folder) throws IOException {
        return ((int) Files.getAttribute(folder, "unix:mode") & STICKY_BIT) != 0;
    }
}
