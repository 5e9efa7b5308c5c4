package dev.handoff.launcher;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Finds classes that reach each other by what they use. A nested class counts as the one around it.
 *
 * <p>It does not see what a sealed type permits, nor constants that the compiler copies.
 */
final class ClassCircles {
    private final Map<String, Set<String>> uses = new TreeMap<>();

    private ClassCircles() {}

    /**
     * Looks at the classes of one package and of those below it.
     *
     * @return the classes of each circle, by their simple names: every one reaches every other
     */
    static Set<Set<String>> in(String rootPackage, JavaClasses classes) {
        ClassCircles search = new ClassCircles();
        for (JavaClass each : classes) {
            if (isBelow(rootPackage, each)) {
                search.add(rootPackage, each);
            }
        }
        return search.find();
    }

    private static boolean isBelow(String rootPackage, JavaClass given) {
        return (given.getPackageName() + ".").startsWith(rootPackage + ".");
    }

    private void add(String rootPackage, JavaClass user) {
        String name = outermost(user).getName();
        Set<String> used = uses.computeIfAbsent(name, absent -> new TreeSet<>());
        for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
            JavaClass target = outermost(dependency.getTargetClass().getBaseComponentType());
            if (isBelow(rootPackage, target) && !target.getName().equals(name)) {
                used.add(target.getName());
            }
        }
    }

    private Set<Set<String>> find() {
        Map<String, Set<String>> reached = new HashMap<>();
        uses.keySet().forEach(name -> reached.put(name, reachedFrom(name)));
        Set<Set<String>> circles = new HashSet<>();
        reached.forEach((name, targets) -> {
            Set<String> circle = new TreeSet<>();
            for (String target : targets) {
                if (reached.getOrDefault(target, Set.of()).contains(name)) {
                    circle.add(target.substring(target.lastIndexOf('.') + 1));
                }
            }
            if (!circle.isEmpty()) {
                circles.add(circle);
            }
        });
        return circles;
    }

    private Set<String> reachedFrom(String start) {
        Set<String> reached = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(uses.get(start));
        while (!open.isEmpty()) {
            String next = open.pop();
            if (reached.add(next)) {
                open.addAll(uses.getOrDefault(next, Set.of()));
            }
        }
        return reached;
    }

    private static JavaClass outermost(JavaClass given) {
        JavaClass outer = given;
        while (outer.getEnclosingClass().isPresent()) {
            outer = outer.getEnclosingClass().get();
        }
        return outer;
    }
}
