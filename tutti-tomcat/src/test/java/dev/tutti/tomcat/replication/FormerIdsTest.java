package dev.tutti.tomcat.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.tomcat.replication.base.Acknowledgement;
import dev.tutti.tomcat.replication.base.ReplicationOptions;
import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.SessionRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ids of sessions from before a login, after a crash. */
class FormerIdsTest extends ReplicationScene {

    private static final ReplicationOptions IMPATIENT = new ReplicationOptions(
            Acknowledgement.ALL, Duration.ofMillis(1), Duration.ZERO, Duration.ZERO, id -> id);

    /** Logs in at {@code a}: changes the id, and adds a principal and an attribute for logged-in users. */
    private void logIn(Node a) {
        SessionRecord record = a.replicator.find("old");
        a.replicator.rename(record, "new");
        byte[] user = "ann".getBytes(StandardCharsets.UTF_8);
        List<Change> changes = changes("account", "secret");
        changes.add(new Change(Field.ID, "new".getBytes(StandardCharsets.UTF_8), false));
        changes.add(new Change(Field.PRINCIPAL, user, false));
        a.publish(record, changes);
        cluster.pump();
    }

    @Test
    void clientThatMissesItsNewIdBecauseOfACrashHasTheSessionFromBeforeItsLogin() {
        Node a = new Node("a", IMPATIENT);
        Node b = new Node("b", IMPATIENT);
        Node c = new Node("c", IMPATIENT);
        cluster.pump();
        a.create("old", "cart", "apples");
        cluster.pump();
        logIn(a);
        cluster.crash("a");
        cluster.pump();
        SessionRecord before = b.replicator.await("old");
        assertThat(before).isNotNull();
        assertThat(b.get("old", "cart")).isEqualTo("apples");
        assertThat(b.get("old", "account")).as("nothing that came with the login").isNull();
        assertThat(before.slot(Field.PRINCIPAL)).isNull();
        cluster.pump();
        assertThat(c.replicator.await("old").uid()).isEqualTo(before.uid());
        assertThat(c.get("new", "account")).as("another session").isEqualTo("secret");
        assertThat(c.replicator.find("new").uid()).isNotEqualTo(before.uid());
    }

    @Test
    void oldIdIsDeadWhileTheNodeThatChangedItLives() {
        Node a = new Node("a", IMPATIENT);
        Node b = new Node("b", IMPATIENT);
        cluster.pump();
        a.create("old", "cart", "apples");
        cluster.pump();
        logIn(a);
        assertThat(a.replicator.await("old")).isNull();
        assertThat(b.replicator.await("old")).isNull();
    }

    @Test
    void oldIdIsDeadWhenTheClientHasUsedTheNewOneOrTimeIsOver() {
        Node a = new Node("a", IMPATIENT);
        Node b = new Node("b", IMPATIENT);
        Node c = new Node("c", IMPATIENT);
        cluster.pump();
        a.create("old", "cart", "apples");
        cluster.pump();
        logIn(a);
        c.replicator.touch(c.replicator.find("new"));
        cluster.pump();
        cluster.crash("a");
        cluster.pump();
        assertThat(b.replicator.await("old")).as("used at c").isNull();
        assertThat(c.replicator.await("old")).as("used here").isNull();
        b.create("old", "cart", "pears");
        cluster.pump();
        logIn(b);
        cluster.crash("b");
        cluster.pump();
        nowNanos += 6 * SECOND;
        assertThat(c.replicator.await("old")).as("too late").isNull();
        assertThat(c.replicator.find("new")).isNotNull();
    }

    @Test
    void oldIdIsDeadWhenTheNodeThatChangedItDiesLongAfter() {
        Node a = new Node("a", IMPATIENT);
        Node b = new Node("b", IMPATIENT);
        cluster.pump();
        a.create("old", "cart", "apples");
        cluster.pump();
        logIn(a);
        nowNanos += 6 * SECOND;
        cluster.crash("a");
        cluster.pump();
        assertThat(b.replicator.await("old")).isNull();
    }
}
