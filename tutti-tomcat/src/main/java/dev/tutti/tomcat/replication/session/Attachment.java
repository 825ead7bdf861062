package dev.tutti.tomcat.replication.session;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The object that the container has for a record. It is held, or it is only known as long as others hold it: so there is
 * never more than one, and an object that nobody needs is dropped. Thread-safe.
 */
final class Attachment extends AtomicReference<@Nullable Object> {

    private static final long serialVersionUID = 1;

    private static @Nullable Object object(@Nullable Object present) {
        return present instanceof WeakReference<?> loose ? loose.get() : present;
    }

    /** Returns the object; null if there is none. */
    @Nullable Object object() {
        return object(get());
    }

    /** Attaches {@code candidate}, unless there is an object, and returns the object that is attached then. */
    Object attach(Object candidate) {
        while (true) {
            Object present = get();
            Object object = object(present);
            if (object != null) {
                return object;
            }
            if (compareAndSet(present, candidate)) {
                return candidate;
            }
        }
    }

    /** Holds the object again, if it is this one. */
    void hold(Object object) {
        Object present = get();
        if (present != object && object(present) == object) {
            compareAndSet(present, object);
        }
    }

    /** Does not hold the object any longer, if it is this one. */
    void loosen(Object object) {
        compareAndSet(object, new WeakReference<>(object));
    }

    /** Forgets an object that was dropped. */
    void tidy() {
        Object present = get();
        if (present instanceof WeakReference<?> && object(present) == null) {
            compareAndSet(present, null);
        }
    }
}
