package dev.tutti.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Dependencies between packages, and the circles among them. */
final class Packages {

    private final Map<String, Set<String>> seen = new TreeMap<>();

    /** @param root package of all that counts, with a dot at its end */
    Packages(String root, JavaClasses classes) {
        for (JavaClass each : classes) {
            String name = each.getPackageName();
            Set<String> others = seen.computeIfAbsent(name, absent -> new TreeSet<>());
            for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
                String other = dependency.getTargetClass().getBaseComponentType().getPackageName();
                if (!other.equals(name) && (other + ".").startsWith(root)) {
                    others.add(other);
                }
            }
        }
    }

    /** Returns each largest set of packages of which every one sees every other one, directly or through others. */
    Set<List<String>> circles() {
        Map<String, Set<String>> reached = new TreeMap<>();
        seen.keySet().forEach(name -> reached.put(name, reachableFrom(name)));
        Set<List<String>> circles = new TreeSet<>((one, other) -> one.toString().compareTo(other.toString()));
        reached.forEach((name, others) -> {
            List<String> circle = new ArrayList<>();
            for (String other : others) {
                if (reached.getOrDefault(other, Set.of()).contains(name)) {
                    circle.add(other);
                }
            }
            if (circle.size() > 1) {
                circles.add(circle);
            }
        });
        return circles;
    }

    private Set<String> reachableFrom(String start) {
        Set<String> reachable = new TreeSet<>();
        Deque<String> next = new ArrayDeque<>(seen.getOrDefault(start, Set.of()));
        while (!next.isEmpty()) {
            String name = next.poll();
            if (reachable.add(name)) {
                next.addAll(seen.getOrDefault(name, Set.of()));
            }
        }
        return reachable;
    }
}
