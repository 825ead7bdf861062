package dev.tutti.tomcat.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.base.ReplicationOptions;
import dev.tutti.tomcat.replication.codec.SessionArchive;
import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.EndReason;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionStore;
import dev.tutti.tomcat.replication.session.Slot;
import dev.tutti.tomcat.replication.state.StateExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that come, go and take over the sessions of others; messages move only on command. */
class HandoverTest {

    private final InMemoryCluster cluster = InMemoryCluster.manual();
    private final long[] nanos = {0};

    @TempDir
    Path directory;

    private Replicator member(String name) {
        Replicator replicator = new Replicator(
                ReplicationOptions.defaults(), new ReplicationCounters(), ended -> {}, () -> nanos[0], cluster.executor());
        replicator.join(cluster.source(name), "g");
        return replicator;
    }

    private static SessionRecord session(Replicator replicator, String id, String value) throws StalledException {
        SessionRecord record = replicator.create(id, 0);
        set(replicator, record, value);
        return record;
    }

    private static void set(Replicator replicator, SessionRecord record, String value) throws StalledException {
        publish(replicator, record, "a", value);
    }

    private static void publish(Replicator replicator, SessionRecord record, String name, String value)
            throws StalledException {
        byte[] content = value.getBytes(StandardCharsets.UTF_8);
        List<Change> changes = List.of(new Change(Field.attribute(name), content, false));
        try {
            replicator.publish(record, changes, replicator.contact().standing(), List.of());
        } catch (OutdatedException e) {
            throw new AssertionError(e);
        }
    }

    private static String value(Replicator replicator, String id) {
        return value(replicator, id, "a");
    }

    private static String value(Replicator replicator, String id, String name) {
        SessionRecord record = replicator.find(id);
        Slot slot = record == null ? null : record.slot(Field.attribute(name));
        return slot == null || slot.content() == null ? "nothing" : new String(slot.content(), StandardCharsets.UTF_8);
    }

    @Test
    void memberThatLeavesWaitsUntilANewcomerHasItsSessions() throws Exception {
        Replicator a = member("a");
        for (int index = 0; index < 3; index++) {
            session(a, "" + index, "x".repeat(StateExchange.CHUNK_BYTES));
        }
        Replicator b = member("b");
        cluster.hold("b");
        cluster.pump();
        assertThat(a.awaitHandedOver(Duration.ofMillis(1))).as("b has asked for the first alone").isFalse();
        assertThat(a.status().get("members-fetching")).isEqualTo(List.of("b"));
        cluster.release("b");
        cluster.pump();
        assertThat(a.awaitHandedOver(Duration.ofMillis(1))).isTrue();
        a.close();
        cluster.pump();
        assertThat(b.size()).isEqualTo(3);
    }

    @Test
    void onlyMemberHandsOverToNobody() throws Exception {
        Replicator a = member("a");
        session(a, "1", "x");
        assertThat(a.awaitHandedOver(Duration.ofMillis(1))).isFalse();
    }

    @Test
    void changeThatNobodyHasConfirmedIsNotHandedOver() throws Exception {
        Replicator a = member("a");
        member("b");
        cluster.pump();
        cluster.hold("b");
        session(a, "1", "x");
        cluster.pump();
        assertThat(a.awaitHandedOver(Duration.ofMillis(1))).isFalse();
        cluster.release("b");
        cluster.pump();
        assertThat(a.awaitHandedOver(Duration.ofMillis(1))).isTrue();
    }

    @Test
    void sourceThatGoesBeforeItHasGivenAllIsTold() throws Exception {
        Replicator a = member("a");
        session(a, "1", "x");
        Replicator b = member("b");
        cluster.crash("a");
        cluster.pump();
        assertThat(b.status()).containsEntry("state-lost", 1L).containsEntry("state-from", Map.of());
    }

    @Test
    void statusSaysWhoseSessionsCame() throws Exception {
        Replicator a = member("a");
        session(a, "1", "x");
        Replicator b = member("b");
        assertThat(b.isComplete()).isFalse();
        cluster.pump();
        assertThat(b.isComplete()).isTrue();
        assertThat(b.status().get("state-from")).isEqualTo(Map.of("a", "1 sessions"));
    }

    @Test
    void membersThatWereAloneKeepTheSessionsOfBoth() throws Exception {
        Replicator a = member("a");
        Replicator b = member("b");
        cluster.partition("b");
        cluster.pump();
        session(a, "1", "at a");
        session(b, "2", "at b");
        cluster.heal();
        cluster.pump();
        for (Replicator each : List.of(a, b)) {
            assertThat(value(each, "1")).isEqualTo("at a");
            assertThat(value(each, "2")).isEqualTo("at b");
        }
    }

    /** A client may bring its id to two sides of a partition. */
    @Test
    void sessionsOfOneIdAreMadeOneWithTheAttributesOfBoth() throws Exception {
        Replicator a = member("a");
        Replicator b = member("b");
        cluster.pump();
        cluster.partition("b");
        cluster.pump();
        SessionRecord atA = a.create("1", 1);
        publish(a, atA, "of a", "x");
        publish(a, atA, "of both", "first");
        SessionRecord atB = b.create("1", 2);
        publish(b, atB, "of b", "y");
        publish(b, atB, "of none", "z");
        publish(b, atB, "of both", "second");
        cluster.heal();
        cluster.pump();
        for (Replicator each : List.of(a, b)) {
            assertThat(each.size()).isEqualTo(1);
            assertThat(each.find("1").uid()).isEqualTo(atA.uid());
            assertThat(value(each, "1", "of a")).isEqualTo("x");
            assertThat(value(each, "1", "of b")).isEqualTo("y");
            assertThat(value(each, "1", "of both")).as("the later version").isEqualTo("second");
        }
        assertThat(b.status()).containsEntry("namesakes-joined", 1L);
        assertThat(atB.state()).isEqualTo(SessionRecord.State.ENDED);
    }

    @Test
    void sessionsOfOneIdAreMadeOneByTheOthersIfTheirMemberIsGone() throws Exception {
        Replicator a = member("a");
        Replicator b = member("b");
        Replicator c = member("c");
        cluster.pump();
        cluster.partition("b");
        cluster.pump();
        publish(a, a.create("1", 1), "of a", "x");
        publish(b, b.create("1", 2), "of b", "y");
        cluster.heal();
        cluster.hold("b");
        Replicator d = member("d");
        cluster.release("b");
        cluster.pump();
        cluster.crash("b");
        cluster.pump();
        for (Replicator each : List.of(a, c, d)) {
            each.onTick();
            cluster.pump();
        }
        for (Replicator each : List.of(a, c, d)) {
            assertThat(each.size()).isEqualTo(1);
            assertThat(value(each, "1", "of a")).isEqualTo("x");
            assertThat(value(each, "1", "of b")).isEqualTo("y");
        }
    }

    @Test
    void stoppedMemberTakesNoChanges() throws Exception {
        Replicator a = member("a");
        SessionRecord record = session(a, "1", "x");
        a.close();
        assertThatThrownBy(() -> set(a, record, "y")).isInstanceOf(StoppedException.class);
    }

    // ---- archives

    @Test
    void archiveHasSessionsAndTheMarksOfThoseThatEnded() throws Exception {
        Replicator a = member("a");
        session(a, "1", "x");
        SessionRecord ended = session(a, "2", "y");
        Replicator b = member("b");
        cluster.pump();
        cluster.partition("b");
        cluster.pump();
        a.end(ended, EndReason.INVALIDATED);
        Path file = directory.resolve("sessions");
        a.writeTo(file);
        a.close();
        Replicator again = new Replicator(
                ReplicationOptions.defaults(), new ReplicationCounters(), none -> {}, () -> nanos[0], cluster.executor());
        assertThat(again.readFrom(file)).isEqualTo(1);
        cluster.heal();
        again.join(cluster.source("a"), "g");
        cluster.pump();
        for (Replicator each : List.of(again, b)) {
            assertThat(value(each, "1")).isEqualTo("x");
            assertThat(each.find("2")).as("stays ended").isNull();
        }
    }

    /** View numbers start anew after a full stop: values written in a late view before are no obstacle. */
    @Test
    void restoredSessionsCanBeWrittenByAllInAYoungerGroup() throws Exception {
        Replicator a = member("a");
        for (int index = 0; index < 5; index++) {
            member("other").close();
            cluster.pump();
        }
        session(a, "1", "x");
        Path file = directory.resolve("sessions");
        a.writeTo(file);
        a.close();
        Replicator again = new Replicator(
                ReplicationOptions.defaults(), new ReplicationCounters(), none -> {}, () -> nanos[0], cluster.executor());
        again.readFrom(file);
        again.join(cluster.source("a"), "g");
        Replicator b = member("b");
        cluster.pump();
        for (Replicator writer : List.of(again, b, again)) {
            String written = "written by " + (writer == b ? "b" : "a");
            set(writer, writer.find("1"), written);
            cluster.pump();
            assertThat(value(again, "1")).isEqualTo(written);
            assertThat(value(b, "1")).isEqualTo(written);
        }
    }

    @Test
    void archiveHasItsLayout() throws Exception {
        Path file = directory.resolve("sessions");
        assertThat(SessionArchive.write(file, new SessionStore(id -> id), 0, 5)).isZero();
        assertThat(HexFormat.of().formatHex(Files.readAllBytes(file)))
                .isEqualTo("74755331" + "0000000000000005" + "ffffffff" + "0000000099eab905");
    }

    @Test
    void idleTimeGoesOnWhileTheApplicationIsStopped() throws Exception {
        Replicator a = member("a");
        session(a, "1", "x");
        Path file = directory.resolve("sessions");
        a.writeTo(file);
        List<Long> idleMillis = new ArrayList<>();
        SessionArchive.read(file, System.currentTimeMillis() + 60_000, (message, agedMillis) -> {
            if (message instanceof SessionMessage.Image image) {
                idleMillis.add(image.aged(agedMillis).idleMillis());
            }
        });
        assertThat(idleMillis).hasSize(1).allMatch(millis -> 60_000 <= millis && millis < 120_000);
    }

    @Test
    void everyDamagedArchiveIsRefusedAsAWhole() throws Exception {
        Replicator a = member("a");
        session(a, "1", "x");
        Path file = directory.resolve("sessions");
        a.writeTo(file);
        byte[] whole = Files.readAllBytes(file);
        for (int index = 0; index < whole.length; index++) {
            byte[] damaged = whole.clone();
            damaged[index] ^= 0x41;
            assertRefused(damaged);
            assertRefused(Arrays.copyOf(whole, index));
        }
    }

    private void assertRefused(byte[] bytes) throws Exception {
        Path file = Files.write(directory.resolve("damaged"), bytes);
        Replicator reading = new Replicator(
                ReplicationOptions.defaults(), new ReplicationCounters(), none -> {}, () -> nanos[0], cluster.executor());
        assertThatThrownBy(() -> reading.readFrom(file))
                .isInstanceOf(IOException.class);
        assertThat(reading.size()).isZero();
    }
}
