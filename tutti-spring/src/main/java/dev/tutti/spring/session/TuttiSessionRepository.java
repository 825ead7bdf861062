package dev.tutti.spring.session;

import dev.tutti.Node;
import dev.tutti.blocks.internal.session.SessionChanges;
import dev.tutti.blocks.internal.session.SessionRecord;
import dev.tutti.blocks.internal.session.SessionStore;
import dev.tutti.spring.serial.ObjectBytes;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.session.DelegatingIndexResolver;
import org.springframework.session.FindByIndexNameSessionRepository;
import org.springframework.session.IndexResolver;
import org.springframework.session.MapSession;
import org.springframework.session.PrincipalNameIndexResolver;
import org.springframework.session.SaveMode;
import org.springframework.session.SessionIdGenerator;
import org.springframework.session.UuidSessionIdGenerator;

/**
 * Sessions in the memory of all nodes of a group.
 *
 * <p>A request's changes are written attribute by attribute when it ends, and before its response is committed: two requests
 * at two nodes lose none of each other's changes, and of two values of one attribute the later one stands. A request finds
 * all that was saved before it began, at whatever node. With the group's default, {@code total.delivery: safe}, a save
 * returns when all members have received the changes, so that they outlive this node.
 *
 * <p>A session that was deleted stays so: what a request writes that was under way is dropped, at this and at other nodes.
 */
public final class TuttiSessionRepository implements FindByIndexNameSessionRepository<TuttiSession>, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(TuttiSessionRepository.class);

    /** Time that a save may wait for the group. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final SessionStore store;
    private final ObjectBytes objects;
    private final LongAdder discarded = new LongAdder();
    private IndexResolver<TuttiSession> indexes = new DelegatingIndexResolver<>(new PrincipalNameIndexResolver<>());
    private SessionIdGenerator ids = UuidSessionIdGenerator.getInstance();
    private Duration interval = MapSession.DEFAULT_MAX_INACTIVE_INTERVAL;
    private SaveMode saveMode = SaveMode.ON_SET_ATTRIBUTE;
    private boolean isSynced = true;

    /** Joins the group, and returns with all its sessions. */
    public TuttiSessionRepository(Node node, String group, ObjectBytes objects, ApplicationEventPublisher events) {
        this.objects = objects;
        this.store = new SessionStore(node.group(group), TIMEOUT, new SessionEvents(this, events));
    }

    /** Sets the index by which sessions are found; that of the principal's name by default. */
    public void setIndexResolver(IndexResolver<TuttiSession> resolver) {
        indexes = resolver;
    }

    /** Sets the source of ids; random UUIDs by default. */
    public void setSessionIdGenerator(SessionIdGenerator generator) {
        ids = generator;
    }

    /** Sets the time without requests after which new sessions expire; 30 minutes by default, never if negative or zero. */
    public void setDefaultMaxInactiveInterval(Duration time) {
        interval = time;
    }

    /** Sets the attributes that a save writes: those that were set, by default, or also those that were read. */
    public void setSaveMode(SaveMode mode) {
        saveMode = mode;
    }

    /**
     * Sets whether finding a session waits for the group, by default: then it has what any node had saved before, so requests
     * may go to any node. Without it reads are local, which is enough if a balancer keeps each session at one node.
     */
    public void setSynced(boolean isSynced) {
        this.isSynced = isSynced;
    }

    private void sync() {
        if (isSynced) {
            store.sync();
        }
    }

    private TuttiSession.Repository sessions() {
        return new TuttiSession.Repository(objects, saveMode, ids::generate);
    }

    @Override
    public TuttiSession createSession() {
        return sessions().create(interval);
    }

    TuttiSession session(String id, SessionRecord from) {
        return sessions().found(id, from);
    }

    @Override
    public @Nullable TuttiSession findById(String id) {
        sync();
        SessionRecord found = store.live(id);
        return found == null ? null : session(id, found);
    }

    @Override
    public Map<String, TuttiSession> findByIndexNameAndIndexValue(String indexName, String indexValue) {
        sync();
        Map<String, TuttiSession> found = new LinkedHashMap<>();
        store.find(indexName, indexValue).forEach((id, from) -> found.put(id, session(id, from)));
        return found;
    }

    /**
     * Writes the changes since the last save.
     *
     * @throws IllegalArgumentException if an attribute can't be replicated; nothing is written then
     * @throws dev.tutti.blocks.map.MapException if the group does not take them in time
     */
    @Override
    public void save(TuttiSession session) {
        Map<String, byte @Nullable []> changes = session.encodedChanges();
        // A resolver reads attributes, which is no change.
        Map<String, String> index =
                session.isNew() || !changes.isEmpty() ? indexes.resolveIndexesFor(session) : session.index();
        boolean isIndexChanged = !index.equals(session.index());
        SessionChanges write = new SessionChanges(
                session.getLastAccessedTime(), session.getMaxInactiveInterval(), session.isIntervalChanged(), isIndexChanged ? index : null, changes);
        if (session.isNew()) {
            store.await(() -> store.create(session.getId(), session.getCreationTime(), "", write));
        } else {
            SessionRecord present = store.live(session.savedId());
            if (present == null) {
                discarded.increment();
                LOG.debug("the changes of a request are dropped: its session has ended meanwhile");
                return;
            }
            store.await(() -> session.getId().equals(session.savedId())
                    ? store.update(session.getId(), write)
                    : store.rename(session.savedId(), session.getId(), present, write));
        }
        session.onSaved(changes, index);
    }

    @Override
    public void deleteById(String id) {
        sync();
        if (store.live(id) != null) {
            store.await(() -> store.end(id, ""));
        }
    }

    /** Returns the number of saves that were dropped because the session had ended. */
    public long discarded() {
        return discarded.sum();
    }

    SessionStore store() {
        return store;
    }

    /** Leaves the group. */
    @Override
    public void close() {
        store.close();
    }
}
