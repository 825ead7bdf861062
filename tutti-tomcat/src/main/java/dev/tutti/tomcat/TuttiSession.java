package dev.tutti.tomcat;

import dev.tutti.blocks.internal.serial.Immutables;
import dev.tutti.tomcat.replication.session.EndReason;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.Mark;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.Slot;
import java.io.Serializable;
import java.security.Principal;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.catalina.SessionListener;
import org.apache.catalina.authenticator.Constants;
import org.apache.catalina.realm.GenericPrincipal;
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

    /** Fields that other nodes may change, besides listeners. */
    private static final List<Field> ADOPTED = Stream.concat(
                    Stream.of(Field.PRINCIPAL, Field.AUTH_TYPE), NOTES.stream().map(Field::note))
            .toList();

    private final transient TuttiManager owner;
    private final transient SessionAttributes objects;
    private final transient SessionFields fields;
    private final transient AtomicInteger users = new AtomicInteger();
    private final transient SessionSender sender;
    private transient volatile @Nullable SessionRecord record;
    private transient volatile EndReason endReason = EndReason.INVALIDATED;

    /** Creates a new session, which has no record yet. */
    TuttiSession(TuttiManager owner) {
        super(owner);
        this.owner = owner;
        this.objects = new SessionAttributes(owner, attributes, this::exclude, this::getSession);
        this.fields = new SessionFields(new FieldValues(), owner.replication().guard(), owner::attributes);
        this.sender = new SessionSender(owner, fields, objects, () -> !isUnused(), this::replicateChanges);
    }

    /** Creates the session of a record that exists already, created here or at another node. */
    TuttiSession(TuttiManager owner, SessionRecord record) {
        this(owner);
        this.record = record;
        id = record.id();
        creationTime = record.createdMillis();
        long usedMillis = System.currentTimeMillis() - owner.replication().idleMillis(record);
        thisAccessedTime = usedMillis;
        lastAccessedTime = usedMillis;
        isValid = record.state() != SessionRecord.State.ENDED;
        adoptFields(record);
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
            fields.onChanged(Field.ID, null);
            fields.onChanged(Field.MAX_INACTIVE, null);
            owner.add(this);
        } else {
            owner.replication().rename(present, id);
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
        if (present == null || !isUnused() || owner.replication().wasUsedHere(present)) {
            return;
        }
        long usedMillis = System.currentTimeMillis() - owner.replication().idleMillis(present);
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
            present.hold(this);
            adoptFields(present);
            owner.replication().touch(present);
        }
    }

    @Override
    public void endAccess() {
        super.endAccess();
        users.accumulateAndGet(-1, (present, change) -> Math.max(0, present + change));
        SessionRecord present = record;
        if (present != null && isValid) {
            owner.replication().touch(present);
            flush(users.get() == 0);
            awaitSafe();
        }
    }

    /** Returns whether no request here uses the session now. */
    boolean isUnused() {
        return users.get() == 0;
    }

    /** Lets the record drop this object when nobody else holds it, if the record has all that it is. */
    void rest() {
        SessionRecord present = record;
        if (present != null && isAtRest(present)) {
            present.loosen(this);
            // A request may have begun meanwhile.
            if (!isAtRest(present)) {
                present.hold(this);
            }
        }
    }

    /** In other save modes than on-get an object may have changed without being read, or without being set. */
    private boolean isAtRest(SessionRecord present) {
        return isUnused()
                && isValid
                && !expiring
                && present.state() == SessionRecord.State.COMPLETE
                && owner.saveMode() == SaveMode.ON_GET
                && fields.isAtRest()
                && isPrincipalIn(present)
                && areNotesIn(present)
                && hasNoListeners()
                && objects.isAtRest(present);
    }

    /** Returns whether the user can be made again: what comes from a login by Kerberos or JAAS is here only. */
    private boolean isPrincipalIn(SessionRecord present) {
        boolean isWhole = principal == null
                || principal instanceof GenericPrincipal user && user.getUserPrincipal() == user && user.getGssCredential() == null;
        return isWhole && (principal == null || isIn(present, Field.PRINCIPAL)) && (authType == null || isIn(present, Field.AUTH_TYPE));
    }

    private boolean areNotesIn(SessionRecord present) {
        return notes.keySet().stream().allMatch(name -> NOTES.contains(name) && isIn(present, Field.note(name)));
    }

    private static boolean isIn(SessionRecord present, Field field) {
        Slot slot = present.slot(field);
        return slot != null && !slot.isRemoved();
    }

    private boolean hasNoListeners() {
        synchronized (listeners) {
            return listeners.isEmpty();
        }
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
        if (owner.replication().isDue(present)) {
            endReason = EndReason.EXPIRED;
            expire(true);
        } else if (owner.replication().isOverdue(present)) {
            return false;
        }
        return isValid;
    }

    @Override
    public long getIdleTimeInternal() {
        SessionRecord present = record;
        return present == null ? super.getIdleTimeInternal() : owner.replication().idleMillis(present);
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
        sender.onSent(number);
    }

    // ---- attributes

    @Override
    public @Nullable Object getAttribute(@Nullable String name) {
        if (name == null || !isValidInternal()) {
            return super.getAttribute(name);
        }
        Mark mark = markNow();
        Object value = objects.current(name, record);
        if (owner.saveMode() != SaveMode.ON_SET && Immutables.isMutable(value)) {
            objects.onRead(name, mark);
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
        return present == null ? super.keys() : objects.names(present).toArray(EMPTY_ARRAY);
    }

    @Override
    public void setAttribute(String name, @Nullable Object value, boolean notify) {
        if (name == null || value == null || !isValidInternal()) {
            super.setAttribute(name, value, notify);
            return;
        }
        Mark mark = markNow();
        if (owner.replication().guard().isOutdated(record, mark)) {
            return;
        }
        if (notify && isOldValueAwaited(name)) {
            objects.current(name, record);
        }
        replace(name, mark, () -> super.setAttribute(name, value, notify));
    }

    private void replace(String name, @Nullable Mark mark, Runnable replacement) {
        objects.replace(name, mark, replacement);
        replicateSoon();
    }

    @Override
    protected void removeAttributeInternal(String name, boolean notify) {
        if (name == null) {
            return;
        }
        Mark mark = markNow();
        if (owner.replication().guard().isOutdated(record, mark)) {
            return;
        }
        if (notify && isOldValueAwaited(name)) {
            objects.current(name, record);
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
            fields.onChanged(field, markNow());
            replicateSoon();
        }
    }

    private void adoptFields(SessionRecord present) {
        maxInactiveInterval = fields.isChanged(Field.MAX_INACTIVE) ? maxInactiveInterval : present.maxInactiveSeconds();
        fields.adopt(present, ADOPTED);
    }

    /** Values of the container's session. */
    private final class FieldValues implements SessionFields.Values {

        @Override
        public @Nullable Object get(Field field) {
            return switch (field.kind()) {
                case ID -> getIdInternal();
                case MAX_INACTIVE -> maxInactiveInterval;
                case PRINCIPAL -> principal;
                case AUTH_TYPE -> authType;
                case NOTE -> getNote(field.name());
                case LISTENER -> listenerOf(field.name());
                case ATTRIBUTE, COPY -> throw new IllegalStateException(field + " is not a single value");
            };
        }

        @Override
        public void takeOver(Field field, @Nullable Object value) {
            switch (field.kind()) {
                case PRINCIPAL -> TuttiSession.super.setPrincipal((Principal) value);
                case AUTH_TYPE -> TuttiSession.super.setAuthType((String) value);
                case NOTE -> {
                    if (value == null) {
                        TuttiSession.super.removeNote(field.name());
                    } else {
                        TuttiSession.super.setNote(field.name(), value);
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

        @Override
        public void takeBackId(SessionRecord present) {
            owner.replication().guard().takeBackId(present);
            id = present.id();
        }
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
            sender.schedule();
        }
    }

    /** Returns whether a change was made after the manager had stopped, and is therefore lost. */
    boolean isLost() {
        return sender.isLost();
    }

    void awaitSafe() {
        owner.replication().awaitSafe(sender.lastNumber());
    }

    /** Waits until sent changes are safe; returns false if the request that began with {@code mark} has to fail. */
    boolean confirm(Mark mark) {
        return owner.replication().guard().confirm(record, mark, sender.lastNumber());
    }

    /** Returns the present state of knowledge of the session. */
    @Nullable Mark newMark() {
        return owner.replication().guard().mark(record);
    }

    /** Returns the mark of the session in this thread's request; the present one if there is no request. */
    private @Nullable Mark markNow() {
        SessionRecord present = record;
        if (present != null) {
            // Somebody reads or changes it, maybe outside a request.
            present.hold(this);
        }
        RequestScope scope = RequestScope.current();
        if (scope == null) {
            owner.replication().guard().awaitContact();
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
        boolean isSendable = moment != Moment.BETWEEN || owner.replication().isRunning();
        if (present != null && isValid && !expiring && isSendable) {
            sender.flush(present, moment);
        }
    }

    @Override
    public String toString() {
        return "TuttiSession[" + id + "]";
    }
}
