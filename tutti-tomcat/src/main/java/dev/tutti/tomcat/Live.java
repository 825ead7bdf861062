package dev.tutti.tomcat;

import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.Mark;
import dev.tutti.tomcat.replication.session.SessionVersion;
import dev.tutti.tomcat.replication.session.Slot;
import jakarta.servlet.http.HttpSessionActivationListener;
import jakarta.servlet.http.HttpSessionBindingListener;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** State of an attribute that is an object here: the value it was decoded from, and whether it may have changed. */
final class Live {

    /**
     * An attempt to encode an object.
     *
     * @param content null if it failed
     * @param isPossible whether another attempt may succeed
     */
    record Encoded(byte @Nullable [] content, boolean isPossible) {}

    /** Version of the slot that the object was decoded from, or last written to. */
    volatile SessionVersion version = SessionVersion.NONE;

    volatile byte @Nullable [] baseline;

    /** True if the baseline was encoded elsewhere, maybe with another version of the object's class. */
    private volatile boolean isForeign;

    /** Number of threads that replace or remove the object; until they are done, the record's value is not read. */
    final AtomicInteger setters = new AtomicInteger();

    volatile boolean isSet;
    volatile boolean isRead;

    /** True if the last attempt to encode it failed; it is retried unless another node's value has replaced it. */
    volatile boolean isUnsent;

    /** State of knowledge when the object was set, or when it was read and may have been changed. */
    volatile @Nullable Mark mark;

    /** Returns whether nothing was done to the object that still has to be sent or compared. */
    boolean isAtRest() {
        return !isSet && !isRead && !isUnsent && setters.get() == 0;
    }

    /** Notes that the object was made from the value of a slot. */
    void onRead(Slot slot) {
        version = slot.version();
        baseline = slot.content();
        isForeign = true;
    }

    /** Notes that a slot has the present value of the object, as it was encoded here. */
    void onSent(Slot slot) {
        version = slot.version();
        baseline = slot.content();
        isForeign = false;
    }

    /** Notes that the object has been replaced or removed. */
    void onSet(@Nullable Mark known) {
        mark = known;
        isSet = true;
    }

    /**
     * Returns the change to send to the other nodes; null if there is none.
     *
     * @param slot the value that the other nodes have
     * @param value the object; null if there is none, or it is not to be replicated
     * @param isJustSet whether the object was set since the last time it was sent
     */
    @Nullable Change changeFrom(
            Field field,
            @Nullable Slot slot,
            @Nullable Object value,
            boolean isJustSet,
            BiFunction<String, Object, Encoded> encoder) {
        SessionVersion present = slot == null ? SessionVersion.NONE : slot.version();
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
                // The other nodes' value does not replace the object, and is the baseline of the next attempt.
                version = present;
                baseline = slot == null ? null : slot.content();
            }
            return null;
        }
        boolean isSame = Arrays.equals(content, baseline);
        return isSame && (!isJustSet || isCurrent) ? null : new Change(field, content, isListening(value));
    }

    /**
     * Returns whether an object that was not set is as it was read, though its encoding differs from the one that it was
     * read from: an older version of its class has left fields out, for example. To send it would remove them elsewhere.
     *
     * @param again decodes and encodes at this node; null if that fails
     */
    boolean isAsRead(Change change, Function<byte[], byte @Nullable []> again) {
        byte[] theirs = baseline;
        if (!isForeign || theirs == null) {
            return false;
        }
        isForeign = false;
        byte[] own = again.apply(theirs);
        baseline = own == null ? theirs : own;
        return Arrays.equals(change.content(), own);
    }

    private static boolean isListening(Object value) {
        return value instanceof HttpSessionBindingListener || value instanceof HttpSessionActivationListener;
    }
}
