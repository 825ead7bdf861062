package dev.tutti.tomcat.replication;

import dev.tutti.core.Member;
import dev.tutti.tomcat.replication.base.LocalMember;
import dev.tutti.tomcat.replication.base.ReplicaContext;
import dev.tutti.tomcat.replication.base.SessionEvents;
import dev.tutti.tomcat.replication.holders.Changes;
import dev.tutti.tomcat.replication.session.FormerIds;
import dev.tutti.tomcat.replication.session.SessionMessage.Access;
import dev.tutti.tomcat.replication.session.SessionMessage.Delta;
import dev.tutti.tomcat.replication.session.SessionMessage.Image;
import dev.tutti.tomcat.replication.session.SessionMessage.Remove;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;

/** Takes over changes that other members have made. Never waits; {@link #merge(Image)} from any thread. */
final class RemoteChanges implements Changes {

    private final ReplicaContext context;
    private final SessionStore store;
    private final FormerIds formerIds;
    private final Contact contact;
    private final Settlement settlement;
    private final LocalMember self;
    private final SessionEvents events;

    RemoteChanges(
            ReplicaContext context,
            SessionStore store,
            FormerIds formerIds,
            Contact contact,
            Settlement settlement,
            LocalMember self,
            SessionEvents events) {
        this.context = context;
        this.store = store;
        this.formerIds = formerIds;
        this.contact = contact;
        this.settlement = settlement;
        this.self = self;
        this.events = events;
    }

    @Override
    public boolean merge(Image image) {
        contact.onSeen(image.latestView());
        return store.merge(image, self.origin(), context.nowNanos());
    }

    @Override
    public boolean merge(Member sender, Delta delta) {
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

    @Override
    public void onAccess(Member sender, Access access) {
        formerIds.onUsed(access.uid(), sender);
        SessionRecord record = store.get(access.uid());
        if (record != null) {
            record.touch(access.version(), context.nowNanos());
        }
    }

    @Override
    public void onRemove(Remove remove) {
        formerIds.onEnded(remove.uid());
        SessionRecord record = store.get(remove.uid());
        if (record != null) {
            record.touch(remove.version(), context.nowNanos());
        }
        SessionStore.Tombstone tombstone = new SessionStore.Tombstone(
                remove.key(), remove.version(), remove.reason(), context.nowNanos());
        SessionRecord removed = store.remove(remove.uid(), tombstone);
        if (removed != null) {
            events.onEnded(removed);
        }
    }
}
