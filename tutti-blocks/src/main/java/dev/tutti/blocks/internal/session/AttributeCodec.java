package dev.tutti.blocks.internal.session;

import dev.tutti.blocks.internal.serial.AllowedClasses;
import dev.tutti.blocks.internal.serial.ObjectSerialization;
import dev.tutti.internal.Fence;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Java serialization of attributes. An attribute that fails is counted, reported once with its name, and left out; the others are not
 * affected. Thread-safe.
 */
public final class AttributeCodec {

    private static final Logger LOG = LoggerFactory.getLogger(AttributeCodec.class);

    private static final String SETTING = "allowedClasses of TuttiSessions";

    /** Attempts in a row to encode an object that another thread may be changing. */
    private static final int ATTEMPTS = 3;

    /** Reports after which no new ones are made. */
    private static final int REPORTS_MAX = 1_000;

    private final ObjectSerialization objects;
    private final ContainerValues container;
    private final SessionCounters counters;
    private final Fence fence = Fence.of((callback, argument, thrown) -> {});
    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    /**
     * Values that a container keeps in sessions itself, such as logins.
     *
     * @param prefix first characters of the names of their attributes
     * @param classes patterns of their classes, which are always allowed
     */
    public record ContainerValues(String prefix, List<String> classes) {}

    /**
     * @param allowedClasses patterns of the application's classes, separated by commas
     * @throws IllegalArgumentException if one is not a pattern
     */
    public AttributeCodec(String allowedClasses, ContainerValues container, SessionCounters counters) {
        AllowedClasses allowed = AllowedClasses.of("allowedClasses", allowedClasses);
        this.objects = new ObjectSerialization(allowed.and(container.classes().toArray(String[]::new)), SETTING);
        this.container = container;
        this.counters = counters;
    }

    /** Returns whether the container itself sets this attribute. */
    boolean isOfContainer(String name) {
        return name.startsWith(container.prefix());
    }

    /**
     * Checks a value where it is set. A runtime exception usually comes from a collection that another thread is changing, and is left to
     * {@link #encode}; so is what the container itself sets.
     *
     * @throws IllegalArgumentException if the value can't be replicated; the message names attribute and class
     */
    public void check(String name, Object value) {
        Throwable failure = fence.attempt(() -> objects.encode(value));
        if (failure != null && !(failure instanceof RuntimeException) && !isOfContainer(name)) {
            throw new IllegalArgumentException(
                    "session attribute '" + name + "' of " + value.getClass().getName() + " can't be replicated: " + reason(failure), failure);
        }
    }

    private static String reason(@Nullable Throwable failure) {
        String message = failure instanceof IOException ? failure.getMessage() : null;
        return message == null ? String.valueOf(failure) : message;
    }

    /** Returns null if that fails, whatever the application's classes throw; other nodes keep the last value then. */
    public byte @Nullable [] encode(String name, Object value) {
        AtomicReference<byte @Nullable []> encoded = new AtomicReference<>();
        Throwable failure = null;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            failure = fence.attempt(() -> encoded.set(objects.encode(value)));
            if (failure == null) {
                return encoded.get();
            }
            if (!(failure instanceof RuntimeException)) {
                break;
            }
        }
        counters.notEncoded.increment();
        if (isNew("not encoded " + name + value.getClass())) {
            LOG.warn("session attribute '{}' of {} can't be written, and keeps its last value: {}", name, value.getClass().getName(), reason(failure));
        }
        return null;
    }

    /**
     * Returns null if the value can't be read at this node; the group keeps it.
     *
     * @param classes those of the application
     */
    public @Nullable Object decode(String name, byte[] bytes, @Nullable ClassLoader classes) {
        AtomicReference<@Nullable Object> decoded = new AtomicReference<>();
        Throwable failure = fence.attempt(() -> decoded.set(objects.decode(bytes, classes)));
        if (failure == null) {
            return decoded.get();
        }
        counters.notDecoded.increment();
        if (isNew("not decoded " + name + failure)) {
            LOG.warn("session attribute '{}' can't be read at this node, and is kept as it is: {}; see allowedClasses", name, String.valueOf(failure));
        }
        return null;
    }

    private boolean isNew(String report) {
        return reported.size() < REPORTS_MAX && reported.add(report);
    }
}
