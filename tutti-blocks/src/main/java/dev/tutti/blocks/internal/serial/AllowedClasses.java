package dev.tutti.blocks.internal.serial;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Set of classes that may be deserialized: plain values and collections of the JDK, and those that the user adds.
 *
 * <p>The user's patterns are those of JEP 290, separated by commas: {@code com.shop.Cart}, {@code com.shop.*} for a
 * package, {@code com.shop.**} for a package and those below it.
 */
public final class AllowedClasses {

    private static final Set<String> LANG = Set.of(
            "String", "Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double", "Number", "Enum",
            "Object", "Class", "StringBuilder", "StringBuffer");
    private static final Set<String> MATH = Set.of("BigInteger", "BigDecimal", "MathContext", "RoundingMode");
    private static final Set<String> UTIL = Set.of(
            "AbstractList", "AbstractMap", "AbstractSet", "AbstractCollection", "ArrayList", "LinkedList", "Arrays$ArrayList",
            "ArrayDeque", "PriorityQueue", "Vector", "Stack", "HashMap", "LinkedHashMap", "TreeMap", "HashSet",
            "LinkedHashSet", "TreeSet", "Hashtable", "Properties", "IdentityHashMap", "EnumMap", "EnumSet",
            "EnumSet$SerializationProxy", "RegularEnumSet", "JumboEnumSet", "CollSer", "BitSet", "Date", "Calendar",
            "GregorianCalendar", "SimpleTimeZone",
            "TimeZone", "Map$Entry", "Locale", "Currency", "UUID", "Dictionary", "AbstractMap$SimpleEntry",
            "AbstractMap$SimpleImmutableEntry");
    private static final Set<String> CONCURRENT = Set.of(
            "ConcurrentHashMap", "ConcurrentHashMap$Segment", "ConcurrentSkipListMap", "ConcurrentSkipListSet",
            "ConcurrentLinkedQueue", "ConcurrentLinkedDeque", "CopyOnWriteArrayList", "CopyOnWriteArraySet",
            "LinkedBlockingQueue", "LinkedBlockingDeque", "ArrayBlockingQueue", "locks.ReentrantLock",
            "locks.ReentrantLock$Sync", "locks.ReentrantLock$NonfairSync", "locks.ReentrantLock$FairSync",
            "locks.AbstractQueuedSynchronizer", "locks.AbstractOwnableSynchronizer", "TimeUnit",
            "atomic.AtomicInteger", "atomic.AtomicLong", "atomic.AtomicBoolean", "atomic.AtomicReference",
            "atomic.AtomicIntegerArray", "atomic.AtomicLongArray");
    private static final Set<String> OTHERS =
            Set.of("java.net.URI", "java.sql.Date", "java.sql.Time", "java.sql.Timestamp", "sun.util.calendar.ZoneInfo");

    private final List<String> patterns;
    private final boolean areAll;

    private AllowedClasses(List<String> patterns, boolean areAll) {
        this.patterns = patterns;
        this.areAll = areAll;
    }

    /** Returns all classes: whoever sends bytes can run code of any of them. */
    public static AllowedClasses all() {
        return new AllowedClasses(List.of(), true);
    }

    /**
     * @param setting name of the setting that has the list, for people
     * @param list patterns separated by commas; may be empty
     * @throws IllegalArgumentException if a pattern is not one, or would allow everything
     */
    public static AllowedClasses of(String setting, String list) {
        List<String> patterns = new ArrayList<>();
        for (String element : list.split("[,;\\s]+", -1)) {
            if (!element.isEmpty()) {
                if (!element.matches("[\\p{L}_$][\\p{L}\\p{N}_$]*(\\.[\\p{L}_$][\\p{L}\\p{N}_$]*)*(\\.\\*\\*?)?")) {
                    throw new IllegalArgumentException(setting + ": '" + element + "' is neither a class (com.shop.Cart),"
                            + " nor a package (com.shop.*), nor a package with those below it (com.shop.**)");
                }
                patterns.add(element);
            }
        }
        return new AllowedClasses(List.copyOf(patterns), false);
    }

    /** Returns these patterns and {@code more}. */
    public AllowedClasses and(String... more) {
        List<String> all = new ArrayList<>(patterns);
        all.addAll(List.of(more));
        return new AllowedClasses(List.copyOf(all), areAll);
    }

    public boolean allows(Class<?> type) {
        Class<?> element = type;
        while (element.isArray()) {
            element = element.getComponentType();
        }
        return element.isPrimitive() || allowsName(element.getName());
    }

    private boolean allowsName(String name) {
        return areAll || isValue(name) || isNamed(name);
    }

    /** Returns whether a class that is missing here is allowed, so that other members may have it. All have those of the JDK. */
    boolean allowsMissing(String name) {
        return allowsName(name) && !name.startsWith("java.") && !name.startsWith("sun.");
    }

    private static boolean isValue(String name) {
        if (!name.startsWith("java.")) {
            return OTHERS.contains(name);
        }
        return isIn(name, "java.lang.", LANG)
                || isIn(name, "java.math.", MATH)
                || isIn(name, "java.util.", UTIL)
                || isIn(name, "java.util.concurrent.", CONCURRENT)
                || name.startsWith("java.time.")
                || name.startsWith("java.util.Collections$")
                || name.startsWith("java.util.ImmutableCollections")
                || OTHERS.contains(name);
    }

    private static boolean isIn(String name, String prefix, Set<String> rests) {
        return name.startsWith(prefix) && rests.contains(name.substring(prefix.length()));
    }

    private boolean isNamed(String name) {
        for (String pattern : patterns) {
            if (pattern.endsWith(".**")) {
                if (name.startsWith(pattern.substring(0, pattern.length() - 2))) {
                    return true;
                }
            } else if (pattern.endsWith(".*")) {
                String prefix = pattern.substring(0, pattern.length() - 1);
                if (name.startsWith(prefix) && name.indexOf('.', prefix.length()) < 0) {
                    return true;
                }
            } else if (name.equals(pattern)) {
                return true;
            }
        }
        return false;
    }
}
