package dev.tutti.jetty;

import dev.tutti.blocks.internal.session.AttributeCodec;
import dev.tutti.blocks.internal.session.SessionChanges;
import dev.tutti.blocks.internal.session.SessionInUse;
import dev.tutti.blocks.internal.session.SessionRecord;
import dev.tutti.blocks.session.SaveMode;
import java.time.Duration;
import org.eclipse.jetty.session.SessionData;
import org.jspecify.annotations.Nullable;

/**
 * Attributes and times of a session while requests use it at this node, and the changes that they have made since it was last written.
 *
 * <p>Guarded by the lock of the session, but for {@link #isTouchDue}.
 */
final class ReplicatedData extends SessionData {

    private static final long serialVersionUID = 1L;

    private final transient AttributeCodec codec;
    private final transient SessionInUse inUse;

    /** True while listeners of the container look at attributes. */
    private transient boolean isListening;

    ReplicatedData(AttributeCodec codec, SaveMode saveMode, Place place, long createdMillis, long accessedMillis, long intervalMillis) {
        super(place.id(), place.contextPath(), place.host(), createdMillis, accessedMillis, accessedMillis, intervalMillis);
        this.codec = codec;
        this.inUse = new SessionInUse(codec, saveMode, _attributes, accessedMillis);
    }

    /** The session's id, and the application that it is of. */
    record Place(String id, String contextPath, String host) {}

    /** Takes the attributes of a session that was read. */
    void load(SessionRecord from) {
        inUse.load(from, classes());
        clean();
        setLastSaved(System.currentTimeMillis());
    }

    private static ClassLoader classes() {
        return Thread.currentThread().getContextClassLoader();
    }

    /** Takes what other nodes have changed since this one has read the session, but for attributes that requests here have changed, too. */
    void refresh(SessionRecord now) {
        noteModified();
        Duration interval = inUse.refresh(now, classes());
        if (interval != null) {
            super.setMaxInactiveMs(interval.toMillis());
        }
        calcAndSetExpiry();
    }

    // ------------------------------------------------------------------ what requests do

    @Override
    public @Nullable Object getAttribute(String name) {
        if (!isListening) {
            inUse.onGet(name);
        }
        return super.getAttribute(name);
    }

    /** @throws IllegalArgumentException if the value can't be replicated */
    @Override
    public @Nullable Object setAttribute(String name, @Nullable Object value) {
        if (value != null) {
            codec.check(name, value);
        }
        return super.setAttribute(name, value);
    }

    @Override
    public void setDirty(String name) {
        super.setDirty(name);
        inUse.onChanged(name);
    }

    @Override
    public void setMaxInactiveMs(long maxInactive) {
        super.setMaxInactiveMs(maxInactive);
        inUse.onIntervalChanged();
    }

    /** Calls listeners that look at attributes without changing them. */
    void listen(Runnable listeners) {
        isListening = true;
        try {
            listeners.run();
        } finally {
            isListening = false;
        }
    }

    // ------------------------------------------------------------------ writing

    /** Finds attributes that were modified without being set. */
    void noteModified() {
        if (inUse.noteModified()) {
            setDirty(true);
        }
    }

    /**
     * Takes the changes for a write.
     *
     * @param isWhole whether all attributes are written, and not only the changed ones
     */
    SessionChanges take(boolean isWhole) {
        return inUse.take(isWhole, getAccessed(), interval());
    }

    Duration interval() {
        return Duration.ofMillis(getMaxInactiveMs());
    }

    boolean hasChanges() {
        return inUse.hasChanges();
    }

    void onWritten(SessionChanges written) {
        inUse.onWritten(written);
    }

    void onNotWritten(SessionChanges taken) {
        inUse.onNotWritten(taken);
    }

    void discardChanges() {
        inUse.discard();
    }

    /** Notes that the group was told of a use. */
    void onTouched(long millis) {
        inUse.onTouched(millis);
    }

    /** Returns whether a third of the interval is over since the group was last told of a use. Any thread. */
    boolean isTouchDue(long nowMillis) {
        return inUse.isTouchDue(nowMillis, getMaxInactiveMs());
    }

    boolean isWritten() {
        return getLastSaved() > 0;
    }
}
