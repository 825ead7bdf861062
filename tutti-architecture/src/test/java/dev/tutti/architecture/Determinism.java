package dev.tutti.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.MonitorInstruction;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Rules for code that must do the same for the same inputs, on one thread at a time: classes and members that it may
 * not use. They are checked in the bytecode, so that imports do not matter.
 */
final class Determinism {

    /** Reason why something is forbidden. */
    enum Offence {
        CLOCK,
        THREAD,
        LOCK,
        SHARED_STATE,
        SOCKET,
        FILE,
        ENTROPY,
        SURROUNDINGS,
        HASH_ORDER
    }

    private static final Map<String, Offence> PACKAGES = Map.of(
            "java.util.concurrent.", Offence.THREAD,
            "java.util.concurrent.locks.", Offence.LOCK,
            "java.util.concurrent.atomic.", Offence.SHARED_STATE,
            "java.net.", Offence.SOCKET,
            "java.nio.channels.", Offence.SOCKET,
            "java.nio.file.", Offence.FILE,
            "java.io.", Offence.FILE,
            "java.time.", Offence.CLOCK,
            "java.lang.foreign.", Offence.SURROUNDINGS,
            "java.lang.reflect.", Offence.SURROUNDINGS);

    private static final Map<String, Offence> CLASSES = Map.ofEntries(
            Map.entry("java.lang.Thread", Offence.THREAD),
            Map.entry("java.lang.ThreadGroup", Offence.THREAD),
            Map.entry("java.lang.ThreadLocal", Offence.THREAD),
            Map.entry("java.lang.InheritableThreadLocal", Offence.THREAD),
            Map.entry("java.util.Timer", Offence.THREAD),
            Map.entry("java.lang.invoke.VarHandle", Offence.SHARED_STATE),
            Map.entry("java.lang.Runtime", Offence.SURROUNDINGS),
            Map.entry("java.lang.Process", Offence.SURROUNDINGS),
            Map.entry("java.lang.ProcessBuilder", Offence.SURROUNDINGS),
            Map.entry("java.lang.ProcessHandle", Offence.SURROUNDINGS),
            Map.entry("java.util.Date", Offence.CLOCK),
            Map.entry("java.util.Calendar", Offence.CLOCK),
            Map.entry("java.util.Random", Offence.ENTROPY),
            Map.entry("java.util.UUID", Offence.ENTROPY),
            Map.entry("java.security.SecureRandom", Offence.ENTROPY),
            Map.entry("java.util.IdentityHashMap", Offence.HASH_ORDER),
            Map.entry("java.util.WeakHashMap", Offence.HASH_ORDER));

    /** Members of forbidden packages that are values. */
    private static final Set<String> ALLOWED = Set.of(
            "java.time.Duration", "java.io.Serializable", "java.io.IOException", "java.io.UncheckedIOException");

    private static final Map<String, Offence> METHODS = Map.ofEntries(
            Map.entry("java.lang.Math.random", Offence.ENTROPY),
            Map.entry("java.lang.StrictMath.random", Offence.ENTROPY),
            Map.entry("java.lang.Object.wait", Offence.LOCK),
            Map.entry("java.lang.Object.notify", Offence.LOCK),
            Map.entry("java.lang.Object.notifyAll", Offence.LOCK),
            Map.entry("java.util.Collection.parallelStream", Offence.THREAD),
            Map.entry("java.util.List.parallelStream", Offence.THREAD),
            Map.entry("java.util.ArrayList.parallelStream", Offence.THREAD),
            Map.entry("java.util.stream.Stream.parallel", Offence.THREAD),
            Map.entry("java.util.stream.IntStream.parallel", Offence.THREAD),
            Map.entry("java.util.stream.LongStream.parallel", Offence.THREAD),
            Map.entry("java.util.Arrays.parallelSort", Offence.THREAD),
            Map.entry("java.util.random.RandomGenerator.of", Offence.ENTROPY),
            Map.entry("java.util.random.RandomGenerator.getDefault", Offence.ENTROPY),
            Map.entry("java.util.Collections.shuffle", Offence.ENTROPY));

    private static final Set<String> HASHED = Set.of("java.util.HashMap", "java.util.HashSet", "java.util.Hashtable");

    private static final Set<String> ITERATIONS = Set.of(
            "keySet", "values", "entrySet", "forEach", "iterator", "stream", "spliterator", "toArray", "removeIf",
            "replaceAll");

    private final TreeSet<String> found = new TreeSet<>();

    private Determinism() {}

    /** Returns one line for each offence: its kind, then the place and the forbidden thing. */
    static Set<String> violations(JavaClasses classes) {
        Determinism determinism = new Determinism();
        for (JavaClass type : classes) {
            determinism.inspect(type);
        }
        return determinism.found;
    }

    private void inspect(JavaClass type) {
        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
            Offence offence = ofClass(dependency.getTargetClass().getBaseComponentType().getName());
            if (offence != null) {
                found.add(offence + " " + dependency.getDescription());
            }
        }
        boolean makesHashed = type.getAccessesFromSelf().stream().anyMatch(Determinism::makesHashed);
        for (JavaAccess<?> access : type.getAccessesFromSelf()) {
            Offence offence = ofAccess(access, makesHashed);
            if (offence != null) {
                found.add(offence + " " + access.getDescription());
            }
        }
        for (JavaField field : type.getFields()) {
            if (field.getModifiers().contains(JavaModifier.VOLATILE)) {
                found.add(Offence.SHARED_STATE + " " + field.getDescription() + " is volatile");
            }
            boolean isStaticVariable = field.getModifiers().contains(JavaModifier.STATIC)
                    && !field.getModifiers().contains(JavaModifier.FINAL);
            if (isStaticVariable) {
                found.add(Offence.SHARED_STATE + " " + field.getDescription() + " is static and not final");
            }
        }
        for (JavaMethod method : type.getMethods()) {
            if (method.getModifiers().contains(JavaModifier.SYNCHRONIZED)) {
                found.add(Offence.LOCK + " " + method.getDescription() + " is synchronized");
            }
        }
        inspectMonitors(type);
    }

    private static @Nullable Offence ofClass(String name) {
        if (ALLOWED.contains(name)) {
            return null;
        }
        Offence offence = CLASSES.get(name);
        String longest = "";
        for (var entry : PACKAGES.entrySet()) {
            if (name.startsWith(entry.getKey()) && entry.getKey().length() > longest.length()) {
                longest = entry.getKey();
                offence = entry.getValue();
            }
        }
        return offence;
    }

    private static @Nullable Offence ofAccess(JavaAccess<?> access, boolean makesHashed) {
        String owner = access.getTargetOwner().getName();
        String name = access.getTarget().getName();
        if (owner.equals("java.lang.System")) {
            return switch (name) {
                case "arraycopy" -> null;
                case "nanoTime", "currentTimeMillis" -> Offence.CLOCK;
                case "identityHashCode" -> Offence.HASH_ORDER;
                default -> Offence.SURROUNDINGS;
            };
        }
        boolean isUnseeded = owner.equals("java.util.SplittableRandom")
                && name.equals("<init>")
                && access.getTarget().getFullName().endsWith("<init>()");
        if (isUnseeded) {
            return Offence.ENTROPY;
        }
        if (ITERATIONS.contains(name)) {
            // A hash collection behind its interface looks like a sorted one: a class that makes some must not iterate
            // through the interfaces at all.
            boolean isInterface = owner.equals("java.util.Map") || owner.equals("java.util.Set");
            if (HASHED.contains(owner) || isInterface && makesHashed) {
                return Offence.HASH_ORDER;
            }
        }
        return METHODS.get(owner + "." + name);
    }

    private static boolean makesHashed(JavaAccess<?> access) {
        String owner = access.getTargetOwner().getName();
        String name = access.getTarget().getName();
        return switch (owner) {
            case "java.util.HashMap", "java.util.HashSet" -> name.equals("<init>");
            case "java.util.Set", "java.util.Map" ->
                name.equals("of") || name.equals("copyOf") || name.equals("ofEntries");
            case "java.util.stream.Collectors" ->
                name.equals("toSet") || name.equals("toUnmodifiableSet") || name.equals("toUnmodifiableMap");
            default -> false;
        };
    }

    /** Inspects synchronized blocks, which show only in the instructions. */
    private void inspectMonitors(JavaClass type) {
        if (type.getSource().isEmpty()) {
            return;
        }
        ClassModel model;
        try (InputStream in = type.getSource().get().getUri().toURL().openStream()) {
            model = ClassFile.of().parse(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (MethodModel method : model.methods()) {
            method.code().ifPresent(code -> code.forEach(element -> {
                if (element instanceof MonitorInstruction) {
                    found.add(Offence.LOCK + " " + type.getName() + "." + method.methodName().stringValue()
                            + " has a synchronized block");
                }
            }));
        }
    }
}
