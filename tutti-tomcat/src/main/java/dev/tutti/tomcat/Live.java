package dev.tutti.tomcat;

import dev.tutti.tomcat.replication.Change;
import dev.tutti.tomcat.replication.Field;
import dev.tutti.tomcat.replication.Mark;
import dev.tutti.tomcat.replication.Slot;
import dev.tutti.tomcat.replication.Version;
import jakarta.servlet.http.HttpSessionActivationListener;
import jakarta.servlet.http.HttpSessionBindingListener;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** An attribute that is an object here: what the object was made from, and what may have become of it. */
final class Live {

    /**
     * An attempt to encode an object.
     *
     * @param content null if it failed
     * @param isPossible whether another attempt may succeed
     */
    record Encoded(byte @Nullable [] content, boolean isPossible) {}

    /** Of the slot that the object was made from, or written to. */
    volatile Version version = Version.NONE;

    volatile byte @Nullable [] baseline;

    /** Threads that are about to replace or remove the object: until one has, nothing is sent, and nothing read from the record. */
    final AtomicInteger setters = new AtomicInteger();

    volatile boolean isSet;
    volatile boolean isRead;

    /** Whether the last try to encode it failed: it is tried again, unless another node's value has replaced it. */
    volatile boolean isUnsent;

    /** What was known of the session when it was set, or read to be changed. */
    volatile @Nullable Mark mark;

    /** The object has been replaced or removed. */
    void onSet(@Nullable Mark known) {
        mark = known;
        isSet = true;
    }

    /**
     * Returns what the others have to be told.
     *
     * @param slot the value that they have
     * @param value the object; null if there is none, or it is not to be replicated
     * @param isJustSet whether it was set since it was sent
     */
    @Nullable Change changeFrom(
            Field field,
            @Nullable Slot slot,
            @Nullable Object value,
            boolean isJustSet,
            BiFunction<String, Object, Encoded> encoder) {
        Version present = slot == null ? Version.NONE : slot.version();
        boolean isCurrent = version.equals(present);
        boolean isReplaced = isUnsent && !isJustSet && !isCurrent;
        isUnsent = false;
        if (isReplaced) {
            return null;
        }
        if (value == null) {
            boolean isThere = slot != null && !slot.isRemoved();
            version = isThere ? version : present;
            baseline = null;
            return isThere && (isJustSet || isCurrent) ? Change.removal(field) : null;
        }
        Encoded encoded = encoder.apply(field.name(), value);
        byte[] content = encoded.content();
        if (content == null) {
            isUnsent = (isJustSet || isCurrent) && encoded.isPossible();
            if (isJustSet) {
                // What the others have does not replace it, and is what the next attempt is compared with.
                version = present;
                baseline = slot == null ? null : slot.content();
            }
            return null;
        }
        boolean isSame = Arrays.equals(content, baseline);
        return isSame && (!isJustSet || isCurrent) ? null : new Change(field, content, isListening(value));
    }

    private static boolean isListening(Object value) {
        return value instanceof HttpSessionBindingListener || value instanceof HttpSessionActivationListener;
    }
}
