package dev.handoff.system;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Functions of the system's library, and what Java itself has for channels and does not tell. Any
 * thread.
 */
public final class SystemLibrary {
    /** On these the numbers of flags and options are known to us. */
    private static final Set<String> ARCHITECTURES = Set.of("amd64", "aarch64");

    private SystemLibrary() {}

    /** Whether this is a system whose numbers we know. */
    public static boolean isKnown() {
        return System.getProperty("os.name", "").equals("Linux")
                && ARCHITECTURES.contains(System.getProperty("os.arch", ""));
    }

    /** Null where there is none. */
    @SuppressWarnings("restricted")
    public static @Nullable MethodHandle function(
            String name, FunctionDescriptor type, Linker.Option... options) {
        if (!isKnown()) {
            return null;
        }
        try {
            Linker linker = Linker.nativeLinker();
            return linker.defaultLookup()
                    .find(name)
                    .map(address -> linker.downcallHandle(address, type, options))
                    .orElse(null);
        } catch (RuntimeException | LinkageError otherSystem) {
            return null;
        }
    }

    /**
     * A public method of Java's own channels ({@code sun.nio.ch}). The manifest of the launcher
     * exports that package. Null where it is not exported, and in a Java that has no such method.
     */
    public static @Nullable MethodHandle ofChannels(
            String type, String method, Class<?>... parameters) {
        try {
            Class<?> found = Class.forName("sun.nio.ch." + type);
            boolean isExported =
                    found.getModule()
                            .isExported(found.getPackageName(), SystemLibrary.class.getModule());
            if (!isExported) {
                return null;
            }
            Method called = found.getMethod(method, parameters);
            return MethodHandles.lookup().unreflect(called);
        } catch (ReflectiveOperationException otherJava) {
            return null;
        }
    }
}
