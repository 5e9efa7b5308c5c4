import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.ConstantPoolSharingOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Rewrites jars whose classes have a format from before Java 6: {@code java RenewClasses.java
 * JAR...}
 *
 * <p>An AOT cache takes no such classes, since they have no stack maps, so that each start would
 * read and verify them anew. The code stays what it is: stack maps are added, and the format's
 * number is today's. A jar without such classes is left alone, byte for byte.
 */
final class RenewClasses {
    /** The first format with stack maps. */
    private static final int JAVA_6 = 50;

    private static final String CHANGES =
            "class files were converted to the format of Java 25, with stack maps, for Handoff's"
                    + " distribution; the code is the same";

    private RenewClasses() {}

    public static void main(String[] jars) throws IOException {
        for (String jar : jars) {
            Path path = Path.of(jar);
            if (hasOldClasses(path)) {
                renew(path);
            }
        }
    }

    private static boolean hasOldClasses(Path path) throws IOException {
        try (ZipFile jar = new ZipFile(path.toFile())) {
            for (ZipEntry entry : Collections.list(jar.entries())) {
                if (isClass(entry) && isOld(ClassFile.of().parse(read(jar, entry)))) {
                    return true;
                }
            }
        }
        return false;
    }

    private static void renew(Path path) throws IOException {
        Path renewed = Files.createTempFile(path.getParent(), "renewed", ".jar");
        try (ZipFile jar = new ZipFile(path.toFile());
                URLClassLoader classes = new URLClassLoader(new URL[] {path.toUri().toURL()});
                ZipOutputStream target = new ZipOutputStream(Files.newOutputStream(renewed))) {
            ClassFile format = format(classes);
            for (ZipEntry entry : Collections.list(jar.entries())) {
                byte[] bytes = read(jar, entry);
                ZipEntry copy = new ZipEntry(entry.getName());
                copy.setTimeLocal(entry.getTimeLocal());
                target.putNextEntry(copy);
                if (isClass(entry)) {
                    target.write(renewed(format, bytes));
                } else if (entry.getName().equals(JarFile.MANIFEST_NAME)) {
                    writeManifest(jar.getInputStream(entry), target);
                } else {
                    target.write(bytes);
                }
                target.closeEntry();
            }
        }
        renewed.toFile().setReadable(true, false);
        Files.move(renewed, path, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Types are looked up in the jar and in Java, because a stack map names their common parent. */
    private static ClassFile format(ClassLoader classes) {
        ClassHierarchyResolver resolver =
                ClassHierarchyResolver.ofResourceParsing(classes)
                        .orElse(ClassHierarchyResolver.defaultResolver());
        return ClassFile.of(
                StackMapsOption.GENERATE_STACK_MAPS,
                // Methods are copied as they stand as long as their constants are.
                ConstantPoolSharingOption.NEW_POOL,
                ClassHierarchyResolverOption.of(resolver));
    }

    private static byte[] renewed(ClassFile format, byte[] bytes) {
        ClassModel model = format.parse(bytes);
        if (!isOld(model)) {
            return bytes;
        }
        ClassTransform sameCode =
                ClassTransform.transformingMethodBodies((builder, element) -> builder.with(element));
        return format.transformClass(
                model,
                sameCode.andThen(
                        ClassTransform.endHandler(
                                builder -> builder.withVersion(ClassFile.latestMajorVersion(), 0))));
    }

    /** Whoever reads the jar is told that it is not as its authors published it. */
    private static void writeManifest(InputStream original, OutputStream target)
            throws IOException {
        Manifest manifest = new Manifest(original);
        manifest.getMainAttributes().putValue("Changes", CHANGES);
        manifest.write(target);
    }

    private static boolean isClass(ZipEntry entry) {
        return entry.getName().endsWith(".class");
    }

    private static boolean isOld(ClassModel model) {
        return model.majorVersion() < JAVA_6;
    }

    private static byte[] read(ZipFile jar, ZipEntry entry) throws IOException {
        try (InputStream content = jar.getInputStream(entry)) {
            return content.readAllBytes();
        }
    }
}
