import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.jar.JarFile;

/** Has Java verify every class of a jar, and fails with the first that is not well-formed. */
final class LinkClasses {
    private LinkClasses() {}

    public static void main(String[] arguments) throws Exception {
        Path path = Path.of(arguments[0]);
        int linked = 0;
        try (JarFile jar = new JarFile(path.toFile());
                URLClassLoader loader = new URLClassLoader(new URL[] {path.toUri().toURL()})) {
            for (String name : jar.stream().map(entry -> entry.getName()).toList()) {
                if (name.endsWith(".class") && !name.endsWith("module-info.class")) {
                    Class.forName(name.replace('/', '.').replace(".class", ""), true, loader);
                    linked++;
                }
            }
        }
        System.out.println(linked);
    }
}
