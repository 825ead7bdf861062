package dev.tutti.spring.session;

import dev.tutti.blocks.internal.session.SessionChanges;
import dev.tutti.blocks.internal.session.SessionRecord;
import dev.tutti.spring.serial.ObjectBytes;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.session.SaveMode;
import org.springframework.session.Session;

/**
 * A session as one request sees it: what was there when it was found, and the changes of this request. Attributes become
 * objects when they are asked for, and each request has objects of its own.
 */
public final class TuttiSession implements Session {

    private final ObjectBytes objects;
    private final SaveMode saveMode;
    private final Supplier<String> ids;
    private final Map<String, byte[]> stored;
    private final Map<String, Object> values = new HashMap<>();

    /** Names of attributes that were changed since the last save; null stands for removed. */
    private final Map<String, @Nullable Object> changes = new LinkedHashMap<>();

    private final Instant created;
    private String id;
    private String savedId;
    private boolean isNew;
    private Duration interval;
    private boolean isIntervalChanged;
    private Instant touched;
    private Map<String, String> index;

    private TuttiSession(
            Repository repository, String id, boolean isNew, Instant created, Duration interval, Instant touched, SessionRecord from) {
        this.objects = repository.objects;
        this.saveMode = repository.saveMode;
        this.ids = repository.ids;
        this.id = id;
        this.savedId = id;
        this.isNew = isNew;
        this.created = created;
        this.interval = interval;
        this.touched = touched;
        this.stored = new HashMap<>(from.attributes());
        this.index = from.index();
    }

    /**
     * The part of the repository that sessions need.
     *
     * @param ids source of ids
     */
    record Repository(ObjectBytes objects, SaveMode saveMode, Supplier<String> ids) {

        TuttiSession create(Duration interval) {
            // As it travels in milliseconds.
            Instant now = Instant.ofEpochMilli(System.currentTimeMillis());
            return new TuttiSession(this, ids.get(), true, now, interval, now, SessionRecord.NONE);
        }

        /** @param from a live record */
        TuttiSession found(String id, SessionRecord from) {
            Instant created = from.created();
            Duration interval = from.interval();
            Instant touched = from.touched();
            if (created == null || interval == null || touched == null) {
                throw new IllegalArgumentException("session " + id + " is not complete");
            }
            return new TuttiSession(this, id, false, created, interval, touched, from);
        }
    }

    @Override
    public String getId() {
        return id;
    }

    @Override
    public String changeSessionId() {
        id = ids.get();
        return id;
    }

    @Override
    @SuppressWarnings("unchecked") // the caller knows what it has put
    public <T> @Nullable T getAttribute(String attributeName) {
        Object value = value(attributeName);
        if (value != null && saveMode != SaveMode.ON_SET_ATTRIBUTE) {
            changes.put(attributeName, value);
        }
        return (T) value;
    }

    private @Nullable Object value(String name) {
        Object value = values.get(name);
        byte[] bytes = stored.get(name);
        if (value == null && bytes != null) {
            value = objects.decode(bytes);
            values.put(name, value);
        }
        return value;
    }

    @Override
    public Set<String> getAttributeNames() {
        Set<String> names = new LinkedHashSet<>(stored.keySet());
        names.addAll(values.keySet());
        return names;
    }

    @Override
    public void setAttribute(String attributeName, @Nullable Object attributeValue) {
        if (attributeValue == null) {
            removeAttribute(attributeName);
            return;
        }
        values.put(attributeName, attributeValue);
        changes.put(attributeName, attributeValue);
    }

    @Override
    public void removeAttribute(String attributeName) {
        values.remove(attributeName);
        stored.remove(attributeName);
        changes.put(attributeName, null);
    }

    @Override
    public Instant getCreationTime() {
        return created;
    }

    @Override
    public void setLastAccessedTime(Instant lastAccessedTime) {
        touched = Instant.ofEpochMilli(lastAccessedTime.toEpochMilli());
    }

    @Override
    public Instant getLastAccessedTime() {
        return touched;
    }

    @Override
    public void setMaxInactiveInterval(Duration interval) {
        this.interval = interval;
        isIntervalChanged = true;
    }

    @Override
    public Duration getMaxInactiveInterval() {
        return interval;
    }

    /**
     * Returns whether the time without requests is over by the clock of this machine. The group decides by the clock of one
     * member, from when it saw the last request, so that clocks of machines are never compared.
     */
    @Override
    public boolean isExpired() {
        return SessionChanges.timeToLive(interval) != null && !Instant.now().minus(interval).isBefore(touched);
    }

    // ------------------------------------------------------------------ for the repository

    boolean isNew() {
        return isNew;
    }

    String savedId() {
        return savedId;
    }

    boolean isIntervalChanged() {
        return isIntervalChanged;
    }

    Map<String, String> index() {
        return index;
    }

    /** Returns the changed attributes as bytes; null for those that were removed. */
    Map<String, byte @Nullable []> encodedChanges() {
        if (saveMode == SaveMode.ALWAYS) {
            getAttributeNames().forEach(name -> changes.put(name, value(name)));
        }
        Map<String, byte @Nullable []> encoded = new LinkedHashMap<>();
        changes.forEach((name, value) -> encoded.put(name, value == null ? null : objects.encode(value)));
        return encoded;
    }

    void onSaved(Map<String, byte @Nullable []> written, Map<String, String> nextIndex) {
        written.forEach((name, bytes) -> {
            if (bytes != null) {
                stored.put(name, bytes);
            }
        });
        changes.clear();
        index = nextIndex;
        isIntervalChanged = false;
        isNew = false;
        savedId = id;
    }
}
