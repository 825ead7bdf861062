package dev.tutti.tomcat;

import dev.tutti.blocks.internal.serial.Immutables;
import dev.tutti.tomcat.AbsenceGuard.Verdict;
import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.Mark;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.Slot;
import jakarta.servlet.http.HttpSession;
import jakarta.servlet.http.HttpSessionActivationListener;
import jakarta.servlet.http.HttpSessionEvent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of one session as objects of the application. An attribute is decoded when it is first read here, and
 * encoded when a request that may have changed it ends. An object that no request here may have changed is replaced at
 * the next read after another node has changed the attribute. Thread-safe.
 */
final class SessionAttributes {

    private final TuttiManager manager;
    private final ConcurrentMap<String, Object> objects;
    private final BiPredicate<String, Object> isExcluded;
    private final Supplier<HttpSession> session;
    private final ConcurrentHashMap<String, Live> lives = new ConcurrentHashMap<>();
    private final Object materializing = new Object();

    /**
     * @param objects by name, which the container reads
     * @param isExcluded whether an attribute of a name and value is not to be replicated
     * @param session that listeners are told of
     */
    SessionAttributes(
            TuttiManager manager,
            ConcurrentMap<String, Object> objects,
            BiPredicate<String, Object> isExcluded,
            Supplier<HttpSession> session) {
        this.manager = manager;
        this.objects = objects;
        this.isExcluded = isExcluded;
        this.session = session;
    }

    private Live live(String name) {
        return lives.computeIfAbsent(name, absent -> new Live());
    }

    private AbsenceGuard guard() {
        return manager.replication().guard();
    }

    // ---- reading

    /** Returns the names of all attributes, decoded or not. */
    Set<String> names(SessionRecord record) {
        Set<String> names = new HashSet<>();
        for (String name : objects.keySet()) {
            if (!isSuperseded(name, record)) {
                names.add(name);
            }
        }
        for (Field field : record.fields(Field.Kind.ATTRIBUTE)) {
            if (isSuperseded(field.name(), record)) {
                names.add(field.name());
            }
        }
        return names;
    }

    /** Returns whether the record's value differs from the object here, which no request may have changed. */
    private boolean isSuperseded(String name, SessionRecord record) {
        Slot slot = record.slot(Field.attribute(name));
        if (slot == null) {
            return false;
        }
        Live live = lives.get(name);
        if (live == null) {
            return true;
        }
        boolean isChanging = (live.isSet || live.isRead) && guard().verdict(record, live.mark) != Verdict.OUTDATED;
        return live.setters.get() == 0 && !isChanging && !live.version.equals(slot.version());
    }

    /** Returns an attribute's object, which is decoded first if it is not here or another node has changed it. */
    @Nullable Object current(String name, @Nullable SessionRecord record) {
        if (record == null || !isSuperseded(name, record)) {
            return objects.get(name);
        }
        synchronized (materializing) {
            Slot slot = record.slot(Field.attribute(name));
            if (slot == null || !isSuperseded(name, record)) {
                return objects.get(name);
            }
            return materialize(name, slot);
        }
    }

    private @Nullable Object materialize(String name, Slot slot) {
        byte[] content = slot.content();
        Object value = content == null ? null : manager.attributes().decode(name, content);
        if (content != null && value == null) {
            return null;
        }
        Live live = live(name);
        live.onRead(slot);
        if (value == null) {
            objects.remove(name);
            return null;
        }
        objects.put(name, value);
        if (value instanceof HttpSessionActivationListener listener) {
            HttpSessionEvent event = new HttpSessionEvent(session.get());
            manager.notifyOf("sessionDidActivate", () -> listener.sessionDidActivate(event));
        }
        return value;
    }

    /**
     * Returns whether the record has all that the objects are, so that they can be made again. An object with a listener
     * was told that it is here, and stays.
     */
    boolean isAtRest(SessionRecord record) {
        if (!lives.values().stream().allMatch(Live::isAtRest)) {
            return false;
        }
        for (Map.Entry<String, Object> entry : objects.entrySet()) {
            Object value = entry.getValue();
            Slot slot = record.slot(Field.attribute(entry.getKey()));
            boolean isThere = slot != null && !slot.isRemoved() && !slot.isListening() && lives.containsKey(entry.getKey());
            if (!isThere || isExcluded.test(entry.getKey(), value) || !manager.attributes().codec().supports(value)) {
                return false;
            }
        }
        return true;
    }

    /** Notes that a request has read an object, and may change it until it ends. */
    void onRead(String name, @Nullable Mark mark) {
        Live live = live(name);
        live.mark = mark;
        live.isRead = true;
    }

    // ---- changing

    /** Replaces or removes an object, and then marks it as set: if marked first, a flush could send the old object. */
    void replace(String name, @Nullable Mark mark, Runnable replacement) {
        Live live = live(name);
        live.setters.incrementAndGet();
        try {
            replacement.run();
            live(name).onSet(mark);
        } finally {
            live.setters.decrementAndGet();
        }
    }

    /**
     * Collects the changed attributes.
     *
     * @param isInUse whether a request uses the session
     */
    void collect(SessionRecord record, Batch batch, Moment moment, boolean isInUse) {
        for (String name : candidates(moment)) {
            Live live = live(name);
            Mark mark = live.mark;
            Verdict verdict = guard().verdict(record, mark);
            if (verdict == Verdict.OPEN) {
                batch.isOpen = true;
                continue;
            }
            if (verdict == Verdict.OUTDATED) {
                lives.remove(name);
                objects.remove(name);
                batch.withdrawn++;
                continue;
            }
            boolean isSet = live.isSet;
            boolean isOpen = moment != Moment.END && isInUse;
            live.isSet = false;
            live.isRead = moment != Moment.END && (live.isRead || (isSet && isOpen && Immutables.isMutable(objects.get(name))));
            live.mark = live.isSet || live.isRead ? live.mark : null;
            Change change = changeOf(name, live, isSet, record);
            batch.attributes.put(name, mark);
            if (change != null) {
                batch.changes.add(change);
                batch.addMark(mark);
            }
        }
    }

    private List<String> candidates(Moment moment) {
        List<String> names = new ArrayList<>();
        lives.forEach((name, live) -> {
            boolean isCompared =
                    moment != Moment.BETWEEN && (live.isRead || manager.saveMode() == SaveMode.ALWAYS);
            if (live.isSet || live.isUnsent || isCompared) {
                names.add(name);
            }
        });
        return names;
    }

    private @Nullable Change changeOf(String name, Live live, boolean isSet, SessionRecord record) {
        Field field = Field.attribute(name);
        Object value = objects.get(name);
        boolean isReplicated = value != null && !isExcluded.test(name, value);
        Change change = live.changeFrom(field, record.slot(field), isReplicated ? value : null, isSet, this::encode);
        boolean isAsRead =
                change != null && !isSet && live.isAsRead(change, read -> manager.attributes().reencode(name, read));
        return isAsRead ? null : change;
    }

    /** Encodes an object; to a listener, that looks like moving to another node and back. */
    private Live.Encoded encode(String name, Object value) {
        if (!(value instanceof HttpSessionActivationListener listener)) {
            return encoded(name, value);
        }
        HttpSessionEvent event = new HttpSessionEvent(session.get());
        manager.notifyOf("sessionWillPassivate", () -> listener.sessionWillPassivate(event));
        try {
            return encoded(name, value);
        } finally {
            manager.notifyOf("sessionDidActivate", () -> listener.sessionDidActivate(event));
        }
    }

    private Live.Encoded encoded(String name, Object value) {
        AttributeCodec codec = manager.attributes();
        return new Live.Encoded(codec.encode(name, value), codec.codec().supports(value));
    }

    /** Notes that changes were not sent: they are collected again, with the marks that they were made with. */
    void restore(Map<String, @Nullable Mark> unsent) {
        unsent.forEach((name, mark) -> {
            Live live = live(name);
            live.mark = live.mark == null ? mark : live.mark;
            live.isSet = true;
        });
    }

    /** Notes that a slot has the attribute's present value, as it was sent from here. */
    void onSent(String name, Slot slot) {
        live(name).onSent(slot);
    }

    /** Returns whether one of these attributes could not be encoded, and is to be tried again. */
    boolean isUnsent(Set<String> names) {
        return names.stream().anyMatch(name -> live(name).isUnsent);
    }
}
