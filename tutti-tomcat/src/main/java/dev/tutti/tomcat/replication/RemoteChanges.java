package dev.tutti.tomcat.replication;

import dev.tutti.core.Member;
import dev.tutti.tomcat.replication.session.FormerIds;
import dev.tutti.tomcat.replication.session.SessionMessage.Access;
import dev.tutti.tomcat.replication.session.SessionMessage.Delta;
import dev.tutti.tomcat.replication.session.SessionMessage.Image;
import dev.tutti.tomcat.replication.session.SessionMessage.Remove;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;
import java.util.function.Consumer;

/** Takes over changes that other members have made. Never waits; {@link #merge(Image)} from any thread. */
final class RemoteChanges {

    private final ReplicaContext context;
    private final SessionStore store;
    private final FormerIds formerIds;
    private final Contact contact;
    private final Settlement settlement;
    private final LocalMember self;
    private final Consumer<SessionRecord> onEnded;

    /** @param onEnded receives sessions that another member has ended */
    RemoteChanges(
            ReplicaContext context,
            SessionStore store,
            FormerIds formerIds,
            Contact contact,
            Settlement settlement,
            LocalMember self,
            Consumer<SessionRecord> onEnded) {
        this.context = context;
        this.store = store;
        this.formerIds = formerIds;
        this.contact = contact;
        this.settlement = settlement;
        this.self = self;
        this.onEnded = onEnded;
    }

    /** Merges an image; returns false if the session has ended here and stays so. */
    boolean merge(Image image) {
        contact.onSeen(image.latestView());
        return store.merge(image, context.nowNanos());
    }

    /** Merges changes of a session; returns false if the session was not known here, and its image is needed. */
    boolean merge(Member sender, Delta delta) {
        if (store.isBuried(delta.uid())) {
            return true;
        }
        contact.onSeen(delta.version().view());
        long nowNanos = context.nowNanos();
        SessionRecord known = store.get(delta.uid());
        SessionRecord record = known == null ? store.getOrAdd(delta.uid(), 0, nowNanos) : known;
        if (record.state() == SessionRecord.State.PARTIAL) {
            record.merge(delta, self.origin(), nowNanos);
        } else {
            String oldKey = store.keyOf(record.id());
            Image before = delta.hasId() ? record.image(nowNanos) : null;
            record.merge(delta, self.origin(), nowNanos);
            store.reindex(record, oldKey);
            if (before != null && !store.keyOf(record.id()).equals(oldKey)) {
                formerIds.onChanged(oldKey, before, sender, nowNanos);
            } else {
                formerIds.onUsed(delta.uid(), sender);
            }
            settlement.standByConfirmed(sender, record);
        }
        return known != null;
    }

    void onAccess(Member sender, Access access) {
        formerIds.onUsed(access.uid(), sender);
        SessionRecord record = store.get(access.uid());
        if (record != null) {
            record.touch(access.version(), context.nowNanos());
        }
    }

    void onRemove(Remove remove) {
        formerIds.onEnded(remove.uid());
        SessionRecord record = store.get(remove.uid());
        if (record != null) {
            record.touch(remove.version(), context.nowNanos());
        }
        SessionStore.Tombstone tombstone = new SessionStore.Tombstone(
                remove.key(), remove.version(), remove.reason(), context.nowNanos());
        SessionRecord removed = store.remove(remove.uid(), tombstone);
        if (removed != null) {
            onEnded.accept(removed);
        }
    }
}
