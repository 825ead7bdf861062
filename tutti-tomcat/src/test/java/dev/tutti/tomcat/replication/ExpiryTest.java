package dev.tutti.tomcat.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter;
import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.SessionRecord;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Uses of a session, its primary, and its expiry. */
class ExpiryTest extends ReplicationScene {

    @Test
    void exactlyOneMemberIsThePrimaryAndWhoServesBecomesIt() {
        Node a = new Node("a");
        Node b = new Node("b");
        Node c = new Node("c");
        cluster.pump();
        a.create("1");
        cluster.pump();
        assertThat(primaries("1", a, b, c)).containsExactly("a");
        c.replicator.touch(c.replicator.find("1"));
        c.replicator.onBeat();
        cluster.pump();
        assertThat(primaries("1", a, b, c)).containsExactly("c");
        cluster.crash("c");
        cluster.pump();
        assertThat(primaries("1", a, b)).hasSize(1);
    }

    @Test
    void usesOfANodeThatWasNotThePrimaryAreToldTogetherAtTheNextBeat() {
        Node a = new Node("a");
        Node b = new Node("b");
        cluster.pump();
        a.create("1");
        cluster.pump();
        b.replicator.touch(b.replicator.find("1"));
        b.replicator.touch(b.replicator.find("1"));
        assertThat(b.counters.get(Counter.ACCESSES_SENT)).isZero();
        b.replicator.onBeat();
        b.replicator.onBeat();
        assertThat(b.counters.get(Counter.ACCESSES_SENT)).isEqualTo(1);
        cluster.pump();
        assertThat(primaries("1", a, b)).containsExactly("b");
    }

    @Test
    void changeTellsTheUseOfItsSession() {
        Node a = new Node("a");
        Node b = new Node("b");
        cluster.pump();
        a.create("1");
        cluster.pump();
        b.replicator.touch(b.replicator.find("1"));
        b.set("1", "cart", "apples");
        b.replicator.onBeat();
        cluster.pump();
        assertThat(primaries("1", a, b)).containsExactly("b");
        assertThat(b.counters.get(Counter.ACCESSES_SENT)).isZero();
    }

    @Test
    void useOfASessionThatMayBeAboutToExpireIsToldAtOnce() {
        Node a = new Node("a");
        Node b = new Node("b");
        cluster.pump();
        a.create("1");
        cluster.pump();
        nowNanos += 99 * SECOND;
        b.replicator.touch(b.replicator.find("1"));
        cluster.pump();
        nowNanos += SECOND;
        assertThat(a.replicator.isDue(a.replicator.find("1"))).isFalse();
    }

    private static List<String> primaries(String id, Node... nodes) {
        List<String> names = new ArrayList<>();
        for (Node node : nodes) {
            if (node.replicator.isPrimary(node.replicator.find(id))) {
                names.add(node.name);
            }
        }
        return names;
    }

    @Test
    void onlyThePrimaryExpiresAndOneThatFillsInAllowsForUsesItWasNotToldOf() {
        Node a = new Node("a");
        Node b = new Node("b");
        cluster.pump();
        a.create("1");
        cluster.pump();
        nowNanos += 9 * SECOND;
        a.replicator.touch(a.replicator.find("1"));
        cluster.pump();
        assertThat(a.counters.get(Counter.ACCESSES_SENT)).as("uses less than a tenth apart are not told").isZero();
        nowNanos += 95 * SECOND;
        assertThat(b.replicator.isDue(b.replicator.find("1"))).isFalse();
        cluster.crash("a");
        cluster.pump();
        assertThat(b.replicator.isDue(b.replicator.find("1"))).as("it was used 95 s ago").isFalse();
        nowNanos += 6 * SECOND;
        assertThat(b.replicator.isDue(b.replicator.find("1"))).isTrue();
    }

    @Test
    void sessionWithoutAnIntervalNeverExpires() {
        Node a = new Node("a");
        SessionRecord record = a.create("1");
        a.publish(record, List.of(new Change(Field.MAX_INACTIVE, SessionRecord.encodeInt(0), false)));
        nowNanos += 1_000_000 * SECOND;
        assertThat(a.replicator.isDue(record)).isFalse();
    }

    @Test
    void idleTimeTravelsAsAnAge() {
        Node a = new Node("a");
        a.create("1");
        nowNanos += 50 * SECOND;
        Node b = new Node("b");
        cluster.pump();
        assertThat(b.replicator.idleNanos(b.replicator.find("1"))).isEqualTo(50 * SECOND);
    }
}
