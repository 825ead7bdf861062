package dev.tutti.tomcat;

import dev.tutti.tomcat.AbsenceGuard.Verdict;
import dev.tutti.tomcat.replication.Contact.Standing;
import dev.tutti.tomcat.replication.OutdatedException;
import dev.tutti.tomcat.replication.StalledException;
import dev.tutti.tomcat.replication.StoppedException;
import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.EndReason;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.Mark;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionVersion;
import dev.tutti.tomcat.replication.session.Slot;
import jakarta.servlet.http.HttpSessionActivationListener;
import jakarta.servlet.http.HttpSessionEvent;
import java.io.Serializable;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.catalina.SessionListener;
import org.apache.catalina.authenticator.Constants;
import org.apache.catalina.session.StandardSession;
import org.jspecify.annotations.Nullable;

/**
 * Session at one node: the application's objects, backed by the {@link SessionRecord} that all nodes have.
 *
 * <p>An attribute is decoded when it is first read here, with the application's class loader, and encoded when a
 * request that may have changed it ends. In between, other nodes may change it too. An object that no request here may
 * have changed is then replaced at the next read; any other is compared first, and wins if it has changed.
 */
public final class TuttiSession extends StandardSession {

    private static final long serialVersionUID = 1;

    /** Notes that another node needs to finish a login that was begun at this one; never user names or passwords. */
    private static final Set<String> NOTES = Set.of(Constants.SESSION_ID_NOTE, Constants.FORM_REQUEST_NOTE);

    private final transient TuttiManager owner;
    private final transient ConcurrentHashMap<String, Live> lives = new ConcurrentHashMap<>();
    private final transient ConcurrentHashMap<Field, SessionVersion> adopted = new ConcurrentHashMap<>();
    private final transient Set<Field> changedFields = ConcurrentHashMap.newKeySet();
    private final transient ConcurrentHashMap<Field, Mark> fieldMarks = new ConcurrentHashMap<>();
    private final transient Object flushing = new Object();
    private final transient Object materializing = new Object();
    private final transient AtomicInteger users = new AtomicInteger();
    private final transient DelayedFlush delayed;
    private transient volatile @Nullable SessionRecord record;
    private transient volatile long lastNumber;
    private transient volatile boolean isLost;
    private transient volatile EndReason endReason = EndReason.INVALIDATED;

    /** Creates a new session, which has no record yet. */
    TuttiSession(TuttiManager owner) {
        super(owner);
        this.owner = owner;
        this.delayed = new DelayedFlush(owner, () -> flush(Moment.BETWEEN));
    }

    /** Creates the session of a record that exists already, created here or at another node. */
    TuttiSession(TuttiManager owner, SessionRecord record) {
        this(owner);
        this.record = record;
        id = record.id();
        creationTime = record.createdMillis();
        long usedMillis = System.currentTimeMillis() - owner.idleMillis(record);
        thisAccessedTime = usedMillis;
        lastAccessedTime = usedMillis;
        isValid = record.state() != SessionRecord.State.ENDED;
        adoptFields();
    }

    @Nullable SessionRecord record() {
        return record;
    }

    /** Marks the session invalid: another node has ended it and told the listeners. */
    void onEndedElsewhere() {
        setValid(false);
    }

    // ---- identity

    @Override
    public String getId() {
        return getIdInternal();
    }

    @Override
    public String getIdInternal() {
        SessionRecord present = record;
        return present == null ? id : present.id();
    }

    @Override
    public void setId(String id, boolean notify) {
        this.id = id;
        SessionRecord present = record;
        if (present == null) {
            record = owner.create(this, id, creationTime);
            changedFields.add(Field.ID);
            changedFields.add(Field.MAX_INACTIVE);
            owner.add(this);
        } else {
            owner.rename(present, id);
            changeField(Field.ID);
        }
        if (notify) {
            tellNew();
        }
    }

    // ---- use

    /**
     * Takes over the time of a later use at another node. Successive uses at one node without a change are announced
     * only from time to time ({@link #getLastAccessedTime}).
     */
    private void adoptUse() {
        SessionRecord present = record;
        if (present == null || !isUnused() || owner.wasUsedHere(present)) {
            return;
        }
        long usedMillis = System.currentTimeMillis() - owner.idleMillis(present);
        if (usedMillis > thisAccessedTime) {
            lastAccessedTime = usedMillis;
            thisAccessedTime = usedMillis;
        }
    }

    /**
     * Returns the time of the last use at any node, by this node's clock. If that was at another node, the actual time
     * may be later, by a tenth of the maximum inactive interval or a second, whichever is more.
     */
    @Override
    public long getLastAccessedTime() {
        adoptUse();
        return super.getLastAccessedTime();
    }

    @Override
    public long getLastAccessedTimeInternal() {
        adoptUse();
        return super.getLastAccessedTimeInternal();
    }

    @Override
    public long getThisAccessedTime() {
        adoptUse();
        return super.getThisAccessedTime();
    }

    @Override
    public long getThisAccessedTimeInternal() {
        adoptUse();
        return super.getThisAccessedTimeInternal();
    }

    @Override
    public void access() {
        adoptUse();
        super.access();
        users.incrementAndGet();
        RequestScope scope = RequestScope.current();
        if (scope != null) {
            scope.add(this);
        }
        SessionRecord present = record;
        if (present != null) {
            adoptFields();
            owner.touch(present);
        }
    }

    @Override
    public void endAccess() {
        super.endAccess();
        users.accumulateAndGet(-1, (present, change) -> Math.max(0, present + change));
        SessionRecord present = record;
        if (present != null && isValid) {
            owner.touch(present);
            flush(users.get() == 0);
            awaitSafe();
        }
    }

    /** Returns whether no request here uses the session now. */
    boolean isUnused() {
        return users.get() == 0;
    }

    /** Returns whether {@link #endAccess} will not be called, so that changes have to be sent at once. */
    private boolean isHeldOutsideRequests() {
        return isUnused() && RequestScope.current() == null;
    }

    @Override
    public boolean isValid() {
        SessionRecord present = record;
        if (!isValid || present == null || expiring || (activityCheck && accessCount.get() > 0)) {
            return isValid;
        }
        if (owner.isDue(present)) {
            endReason = EndReason.EXPIRED;
            expire(true);
        } else if (owner.isOverdue(present)) {
            return false;
        }
        return isValid;
    }

    @Override
    public long getIdleTimeInternal() {
        SessionRecord present = record;
        return present == null ? super.getIdleTimeInternal() : owner.idleMillis(present);
    }

    @Override
    public void expire(boolean notify) {
        RequestScope scope = RequestScope.current();
        if (scope != null) {
            scope.add(this);
        }
        super.expire(notify);
        if (scope == null && endReason == EndReason.INVALIDATED) {
            awaitSafe();
        }
    }

    EndReason endReason() {
        return endReason;
    }

    void sentUnder(long number) {
        if (number > lastNumber) {
            lastNumber = number;
        }
    }

    // ---- attributes

    @Override
    public @Nullable Object getAttribute(@Nullable String name) {
        if (name == null || !isValidInternal()) {
            return super.getAttribute(name);
        }
        Mark mark = markNow();
        Object value = current(name);
        if (owner.saveMode() != SaveMode.ON_SET && Immutables.isMutable(value)) {
            Live live = live(name);
            live.mark = mark;
            live.isRead = true;
        }
        return value;
    }

    @Override
    public Enumeration<String> getAttributeNames() {
        if (!isValidInternal()) {
            return super.getAttributeNames();
        }
        return Collections.enumeration(List.of(keys()));
    }

    @Override
    protected String[] keys() {
        SessionRecord present = record;
        if (present == null) {
            return super.keys();
        }
        Set<String> names = new HashSet<>();
        for (String name : attributes.keySet()) {
            if (!isSuperseded(name, present)) {
                names.add(name);
            }
        }
        for (Field field : present.fields(Field.Kind.ATTRIBUTE)) {
            if (isSuperseded(field.name(), present)) {
                names.add(field.name());
            }
        }
        return names.toArray(EMPTY_ARRAY);
    }

    /** Returns whether the record's value differs from the object here, which no request may have changed. */
    private boolean isSuperseded(String name, SessionRecord present) {
        Slot slot = present.slot(Field.attribute(name));
        if (slot == null) {
            return false;
        }
        Live live = lives.get(name);
        if (live == null) {
            return true;
        }
        boolean isChanging = (live.isSet || live.isRead) && owner.guard().verdict(present, live.mark) != Verdict.OUTDATED;
        return live.setters.get() == 0 && !isChanging && !live.version.equals(slot.version());
    }

    private @Nullable Object current(String name) {
        SessionRecord present = record;
        if (present == null || !isSuperseded(name, present)) {
            return attributes.get(name);
        }
        synchronized (materializing) {
            Slot slot = present.slot(Field.attribute(name));
            if (slot == null || !isSuperseded(name, present)) {
                return attributes.get(name);
            }
            return materialize(name, slot);
        }
    }

    private @Nullable Object materialize(String name, Slot slot) {
        byte[] content = slot.content();
        Object value = content == null ? null : owner.attributes().decode(name, content);
        if (content != null && value == null) {
            return null;
        }
        Live live = live(name);
        live.onRead(slot);
        if (value == null) {
            attributes.remove(name);
            return null;
        }
        attributes.put(name, value);
        if (value instanceof HttpSessionActivationListener listener) {
            owner.notifyOf("sessionDidActivate", () -> listener.sessionDidActivate(new HttpSessionEvent(getSession())));
        }
        return value;
    }

    @Override
    public void setAttribute(String name, @Nullable Object value, boolean notify) {
        if (name == null || value == null || !isValidInternal()) {
            super.setAttribute(name, value, notify);
            return;
        }
        Mark mark = markNow();
        if (owner.guard().isOutdated(record, mark)) {
            return;
        }
        if (notify && isOldValueAwaited(name)) {
            current(name);
        }
        replace(name, mark, () -> super.setAttribute(name, value, notify));
    }

    /** Replaces or removes an object, and then marks it as set: if marked first, a flush could send the old object. */
    private void replace(String name, @Nullable Mark mark, Runnable replacement) {
        Live live = live(name);
        live.setters.incrementAndGet();
        try {
            replacement.run();
            live(name).onSet(mark);
        } finally {
            live.setters.decrementAndGet();
        }
        replicateSoon();
    }

    @Override
    protected void removeAttributeInternal(String name, boolean notify) {
        if (name == null) {
            return;
        }
        Mark mark = markNow();
        if (owner.guard().isOutdated(record, mark)) {
            return;
        }
        if (notify && isOldValueAwaited(name)) {
            current(name);
        }
        replace(name, mark, () -> super.removeAttributeInternal(name, notify));
    }

    /** Returns whether a listener here is told of an attribute's old value, which must then be decoded. */
    private boolean isOldValueAwaited(String name) {
        SessionRecord present = record;
        Slot slot = present == null ? null : present.slot(Field.attribute(name));
        if (slot == null || slot.isRemoved()) {
            return false;
        }
        Object[] listeners = owner.getContext().getApplicationEventListeners();
        return slot.isListening() || (listeners != null && listeners.length > 0);
    }

    private Live live(String name) {
        return lives.computeIfAbsent(name, absent -> new Live());
    }

    @Override
    public boolean isAttributeDistributable(String name, Object value) {
        return owner.attributes().codec().supports(value);
    }

    // ---- fields other than attributes

    @Override
    public void setMaxInactiveInterval(int interval) {
        super.setMaxInactiveInterval(interval);
        changeField(Field.MAX_INACTIVE);
    }

    @Override
    public void setPrincipal(@Nullable Principal principal) {
        boolean isOther = principal != this.principal;
        super.setPrincipal(principal);
        if (isOther) {
            changeField(Field.PRINCIPAL);
        }
    }

    @Override
    public void setAuthType(@Nullable String authType) {
        boolean isOther = authType == null ? this.authType != null : !authType.equals(this.authType);
        super.setAuthType(authType);
        if (isOther) {
            changeField(Field.AUTH_TYPE);
        }
    }

    @Override
    public void setNote(String name, Object value) {
        super.setNote(name, value);
        if (NOTES.contains(name)) {
            changeField(Field.note(name));
        }
    }

    @Override
    public void removeNote(String name) {
        boolean isThere = getNote(name) != null;
        super.removeNote(name);
        if (isThere && NOTES.contains(name)) {
            changeField(Field.note(name));
        }
    }

    @Override
    public void addSessionListener(SessionListener listener) {
        synchronized (listeners) {
            super.addSessionListener(listener);
        }
        if (listener instanceof Serializable) {
            changeField(Field.listener(listener.getClass().getName()));
        }
    }

    @Override
    public void removeSessionListener(SessionListener listener) {
        synchronized (listeners) {
            super.removeSessionListener(listener);
        }
        if (listener instanceof Serializable) {
            changeField(Field.listener(listener.getClass().getName()));
        }
    }

    private void changeField(Field field) {
        if (record != null) {
            Mark mark = markNow();
            if (mark != null) {
                fieldMarks.put(field, mark);
            }
            changedFields.add(field);
            replicateSoon();
        }
    }

    /** Takes over fields that other nodes have changed, unless they have been changed here too. */
    private void adoptFields() {
        SessionRecord present = record;
        if (present == null) {
            return;
        }
        maxInactiveInterval = changedFields.contains(Field.MAX_INACTIVE) ? maxInactiveInterval : present.maxInactiveSeconds();
        adopt(present, Field.PRINCIPAL);
        adopt(present, Field.AUTH_TYPE);
        for (String note : NOTES) {
            adopt(present, Field.note(note));
        }
        for (Field field : present.fields(Field.Kind.LISTENER)) {
            adopt(present, field);
        }
        for (Field field : adopted.keySet()) {
            adopt(present, field);
        }
    }

    private void adopt(SessionRecord present, Field field) {
        Slot slot = present.slot(field);
        if (slot == null || changedFields.contains(field) || slot.version().equals(adopted.get(field))) {
            return;
        }
        adopted.put(field, slot.version());
        byte[] content = slot.content();
        takeUp(field, content == null ? null : owner.attributes().decodeField(field, content));
    }

    private void takeUp(Field field, @Nullable Object value) {
        switch (field.kind()) {
            case PRINCIPAL -> super.setPrincipal((Principal) value);
            case AUTH_TYPE -> super.setAuthType((String) value);
            case NOTE -> {
                if (value == null) {
                    super.removeNote(field.name());
                } else {
                    super.setNote(field.name(), value);
                }
            }
            case LISTENER -> {
                synchronized (listeners) {
                    listeners.removeIf(listener -> listener.getClass().getName().equals(field.name()));
                    if (value instanceof SessionListener listener) {
                        listeners.add(listener);
                    }
                }
            }
            // Changed here before and elsewhere now; they are read from the record, so there is nothing to take over.
            case ID, MAX_INACTIVE -> {}
            case ATTRIBUTE -> throw new IllegalStateException(field + " is read from the record");
        }
    }

    // ---- replication

    /** Sends the changes since the last time, and waits until they are safe. */
    void replicate() {
        flush(false);
        awaitSafe();
    }

    /** Sends explicit changes that have not been sent, without waiting for acknowledgements. */
    void replicateChanges() {
        flush(Moment.BETWEEN);
    }

    /**
     * Sends a change at once, and waits until it is safe, if no request uses the session. Otherwise the change is sent
     * with the other changes of that request, or after a bounded delay: the request may be open for hours.
     */
    private void replicateSoon() {
        if (!isValid || expiring) {
            return;
        }
        if (isHeldOutsideRequests()) {
            replicate();
        } else {
            delayed.schedule();
        }
    }

    /** Returns whether a change was made after the manager had stopped, and is therefore lost. */
    boolean isLost() {
        return isLost;
    }

    void awaitSafe() {
        owner.awaitSafe(lastNumber);
    }

    /** Waits until sent changes are safe; returns false if the request that began with {@code mark} has to fail. */
    boolean confirm(Mark mark) {
        return owner.guard().confirm(record, mark, lastNumber);
    }

    /** Returns the present state of knowledge of the session. */
    @Nullable Mark newMark() {
        return owner.guard().mark(record);
    }

    /** Returns the mark of the session in this thread's request; the present one if there is no request. */
    private @Nullable Mark markNow() {
        RequestScope scope = RequestScope.current();
        if (scope == null) {
            owner.guard().awaitContact();
        }
        return scope == null ? newMark() : scope.markOf(this);
    }

    /**
     * Sends the changes since the last time.
     *
     * @param isLast whether the calling request will no longer change objects that it has read. Otherwise, and as long
     *     as other requests use the session, they are compared again
     */
    void flush(boolean isLast) {
        flush(isLast && users.get() <= 1 ? Moment.END : Moment.DURING);
    }

    private void flush(Moment moment) {
        SessionRecord present = record;
        if (present == null || !isValid || expiring || (moment == Moment.BETWEEN && !owner.isReplicating())) {
            return;
        }
        synchronized (flushing) {
            for (int decision = 0; decision < Batch.DECISIONS_MAX; decision++) {
                Standing standing = owner.guard().standing();
                Batch batch = new Batch();
                collectFields(present, batch);
                collectAttributes(present, batch, moment);
                boolean isFirst = present.state() == SessionRecord.State.LOCAL;
                boolean isSent = (batch.changes.isEmpty() && !isFirst) || send(present, batch, standing);
                if (batch.withdrawn > 0) {
                    owner.guard().onWithdrawn(this, batch.withdrawn);
                }
                if (isSent) {
                    delayed.onFlushed(isUnsent(batch));
                    return;
                }
            }
            delayed.schedule();
        }
    }

    /** Sends a batch; returns false if a later view or an absence requires a new decision about its changes. */
    private boolean send(SessionRecord present, Batch batch, @Nullable Standing standing) {
        try {
            sentUnder(owner.guard().publish(present, batch.changes, standing, batch.marks));
        } catch (StalledException e) {
            isLost |= e instanceof StoppedException;
            owner.onStalled(this, e);
            restore(batch);
            return true;
        } catch (OutdatedException e) {
            restore(batch);
            return false;
        }
        for (Change change : batch.changes) {
            settle(present, change);
        }
        return true;
    }

    private void restore(Batch batch) {
        changedFields.addAll(batch.fields);
        batch.attributes.forEach((name, mark) -> {
            Live live = live(name);
            live.mark = live.mark == null ? mark : live.mark;
            live.isSet = true;
        });
    }

    private boolean isUnsent(Batch batch) {
        return batch.isOpen || batch.attributes.keySet().stream().anyMatch(name -> live(name).isUnsent);
    }

    private void settle(SessionRecord present, Change change) {
        Slot slot = present.slot(change.field());
        if (slot == null || slot.content() != change.content()) {
            return;
        }
        if (change.field().kind() == Field.Kind.ATTRIBUTE) {
            Live live = live(change.field().name());
            live.onSent(slot);
        } else if (change.field().kind() != Field.Kind.ID && change.field().kind() != Field.Kind.MAX_INACTIVE) {
            adopted.put(change.field(), slot.version());
        }
    }

    /**
     * Collects the changed fields. A field that can't be encoded is removed at the other nodes, unlike an attribute: a
     * former principal of the session must not be found after a crash.
     */
    private void collectFields(SessionRecord present, Batch batch) {
        for (Field field : Set.copyOf(changedFields)) {
            Mark mark = fieldMarks.get(field);
            Verdict verdict = owner.guard().verdict(present, mark);
            if (verdict == Verdict.OPEN) {
                batch.isOpen = true;
                continue;
            }
            changedFields.remove(field);
            if (verdict == Verdict.OUTDATED) {
                withdraw(present, field);
                batch.withdrawn++;
                continue;
            }
            Object value = valueOf(field);
            byte[] content = value == null ? null : owner.attributes().encodeField(field, value);
            batch.changes.add(new Change(field, content, false));
            batch.fields.add(field);
            batch.addMark(mark);
        }
    }

    private void withdraw(SessionRecord present, Field field) {
        adopted.remove(field);
        if (field.equals(Field.ID)) {
            owner.guard().takeBackId(present);
            id = present.id();
        } else if (present.slot(field) == null) {
            takeUp(field, null);
        } else {
            adopt(present, field);
        }
    }

    private @Nullable Object valueOf(Field field) {
        return switch (field.kind()) {
            case ID -> getIdInternal();
            case MAX_INACTIVE -> maxInactiveInterval;
            case PRINCIPAL -> principal;
            case AUTH_TYPE -> authType;
            case NOTE -> getNote(field.name());
            case LISTENER -> listenerOf(field.name());
            case ATTRIBUTE -> throw new IllegalStateException(field + " is not a single value");
        };
    }

    private @Nullable Object listenerOf(String className) {
        synchronized (listeners) {
            for (SessionListener listener : listeners) {
                if (listener.getClass().getName().equals(className)) {
                    return listener;
                }
            }
        }
        return null;
    }

    private void collectAttributes(SessionRecord present, Batch batch, Moment moment) {
        List<String> names = new ArrayList<>();
        lives.forEach((name, live) -> {
            boolean isCompared = moment != Moment.BETWEEN && (live.isRead || owner.saveMode() == SaveMode.ALWAYS);
            if (live.isSet || live.isUnsent || isCompared) {
                names.add(name);
            }
        });
        for (String name : names) {
            Live live = live(name);
            Mark mark = live.mark;
            Verdict verdict = owner.guard().verdict(present, mark);
            if (verdict == Verdict.OPEN) {
                batch.isOpen = true;
                continue;
            }
            if (verdict == Verdict.OUTDATED) {
                lives.remove(name);
                attributes.remove(name);
                batch.withdrawn++;
                continue;
            }
            boolean isSet = live.isSet;
            boolean isOpen = moment != Moment.END && users.get() > 0;
            live.isSet = false;
            live.isRead = moment != Moment.END && (live.isRead || (isSet && isOpen && Immutables.isMutable(attributes.get(name))));
            live.mark = live.isSet || live.isRead ? live.mark : null;
            Change change = changeOf(name, live, isSet, present);
            batch.attributes.put(name, mark);
            if (change != null) {
                batch.changes.add(change);
                batch.addMark(mark);
            }
        }
    }

    private @Nullable Change changeOf(String name, Live live, boolean isSet, SessionRecord present) {
        Field field = Field.attribute(name);
        Object value = attributes.get(name);
        boolean isReplicated = value != null && !exclude(name, value);
        Change change = live.changeFrom(field, present.slot(field), isReplicated ? value : null, isSet, this::encode);
        boolean isAsRead = change != null && !isSet && live.isAsRead(change, read -> owner.attributes().reencode(name, read));
        return isAsRead ? null : change;
    }

    /** Encodes an object; to a listener, that looks like moving to another node and back. */
    private Live.Encoded encode(String name, Object value) {
        if (!(value instanceof HttpSessionActivationListener listener)) {
            return encoded(name, value);
        }
        HttpSessionEvent event = new HttpSessionEvent(getSession());
        owner.notifyOf("sessionWillPassivate", () -> listener.sessionWillPassivate(event));
        try {
            return encoded(name, value);
        } finally {
            owner.notifyOf("sessionDidActivate", () -> listener.sessionDidActivate(event));
        }
    }

    private Live.Encoded encoded(String name, Object value) {
        return new Live.Encoded(owner.attributes().encode(name, value), isAttributeDistributable(name, value));
    }

    @Override
    public String toString() {
        return "TuttiSession[" + id + "]";
    }
}
