package dev.tutti.tomcat;

import dev.tutti.internal.Logs;
import dev.tutti.tomcat.replication.OutdatedException;
import dev.tutti.tomcat.replication.Replicator;
import dev.tutti.tomcat.replication.base.SessionEvents;
import dev.tutti.tomcat.replication.StalledException;
import dev.tutti.tomcat.replication.codec.MalformedMessageException;
import dev.tutti.tomcat.replication.codec.MessageReader;
import dev.tutti.tomcat.replication.codec.MessageWriter;
import dev.tutti.tomcat.replication.session.EndReason;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionMessage.Image;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.sites.SessionCopies;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Sessions of this site, for the copies of them at others. Thread-safe. */
final class SiteSessions implements SessionCopies.Sessions {

    private static final Logger LOG = Logs.of(SiteSessions.class);

    private final Replicator replicator;
    private final SessionEvents events;

    /** @param events told of sessions that another site has ended */
    SiteSessions(Replicator replicator, SessionEvents events) {
        this.replicator = replicator;
        this.events = events;
    }

    @Override
    public @Nullable Current current(String key) {
        SessionRecord record = replicator.find(key);
        return record == null || record.state() != SessionRecord.State.COMPLETE
                ? null
                : new Current(record.maxInactiveSeconds(), MessageWriter.encode(0, record.image(System.nanoTime())));
    }

    @Override
    public long takenFrom(String key) {
        SessionRecord record = replicator.find(key);
        return record == null ? 0 : record.takenFrom();
    }

    @Override
    public boolean take(String key, byte[] bytes, long number) {
        try {
            if (!(MessageReader.decode(bytes).message() instanceof Image image)) {
                throw new MalformedMessageException("a copy of a session is a message of another kind");
            }
            SessionRecord present = replicator.find(key);
            long sent = present == null
                    ? replicator.createFrom(image, SessionRecord.valuesOf(image, number))
                    : replicator.publish(present, present.changesTo(image, number), replicator.contact().standing(), List.of());
            replicator.awaitSafe(sent);
            return true;
        } catch (MalformedMessageException | StalledException | OutdatedException e) {
            LOG.warn("session {} can't be taken over from another site: {}", key, e.toString());
            return false;
        }
    }

    @Override
    public void end(String key) {
        SessionRecord record = replicator.find(key);
        if (record != null && record.state() == SessionRecord.State.COMPLETE && replicator.isPrimary(record)) {
            replicator.end(record, EndReason.INVALIDATED);
            events.onEnded(record);
        }
    }
}
