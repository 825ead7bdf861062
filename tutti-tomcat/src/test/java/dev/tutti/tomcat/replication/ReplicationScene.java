package dev.tutti.tomcat.replication;

import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.base.ReplicationOptions;
import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.Slot;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Replicators that exchange messages only when a test says so, by a clock that a test sets. */
abstract class ReplicationScene {

    static final long SECOND = 1_000_000_000L;

    final InMemoryCluster cluster = InMemoryCluster.manual();
    long nowNanos = 1_000 * SECOND;

    final class Node {
        final String name;
        final ReplicationCounters counters = new ReplicationCounters();
        final List<SessionRecord> ended = new ArrayList<>();
        final Replicator replicator;

        Node(String name) {
            this(name, ReplicationOptions.defaults());
        }

        Node(String name, ReplicationOptions options) {
            this.name = name;
            replicator = new Replicator(options, counters, ended::add, () -> nowNanos, cluster.executor());
            replicator.join(cluster.source(name), "shop");
        }

        SessionRecord create(String id, String... namesAndValues) {
            SessionRecord record = replicator.create(id, 1_234);
            List<Change> changes = changes(namesAndValues);
            changes.add(new Change(Field.MAX_INACTIVE, SessionRecord.encodeInt(100), false));
            publish(record, changes);
            return record;
        }

        long set(String id, String... namesAndValues) {
            return publish(replicator.find(id), changes(namesAndValues));
        }

        long publish(SessionRecord record, List<Change> changes) {
            try {
                return replicator.publish(record, changes, replicator.contact().standing(), List.of());
            } catch (StalledException | OutdatedException e) {
                throw new AssertionError(e);
            }
        }

        String get(String id, String name) {
            SessionRecord record = replicator.find(id);
            Slot slot = record == null ? null : record.slot(Field.attribute(name));
            return slot == null || slot.isRemoved() ? null : new String(slot.content(), StandardCharsets.UTF_8);
        }

        Map<String, String> everything() {
            Map<String, String> all = new TreeMap<>();
            for (SessionRecord record : replicator.sessions()) {
                for (Field field : record.fields(Field.Kind.ATTRIBUTE)) {
                    all.put(record.id() + "/" + field.name(), get(record.id(), field.name()));
                }
            }
            return all;
        }
    }

    static List<Change> changes(String... namesAndValues) {
        List<Change> changes = new ArrayList<>();
        for (int index = 0; index < namesAndValues.length; index += 2) {
            String value = namesAndValues[index + 1];
            byte[] content = value == null ? null : value.getBytes(StandardCharsets.UTF_8);
            changes.add(new Change(Field.attribute(namesAndValues[index]), content, false));
        }
        return changes;
    }
}
