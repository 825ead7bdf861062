package dev.tutti.tomcat.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.Member;
import dev.tutti.tomcat.diagnostics.ReplicationCounters.Counter;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.base.Acknowledgement;
import dev.tutti.tomcat.replication.base.ReplicationOptions;
import dev.tutti.tomcat.replication.codec.MessageWriter;
import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.EndReason;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionVersion;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplicatorTest extends ReplicationScene {

    @Test
    void sessionIsEverywhereAfterItIsPublished() {
        Node a = new Node("a");
        Node b = new Node("b");
        Node c = new Node("c");
        cluster.pump();
        SessionRecord record = a.create("1", "cart", "apples");
        cluster.pump();
        assertThat(b.get("1", "cart")).isEqualTo("apples");
        assertThat(c.get("1", "cart")).isEqualTo("apples");
        assertThat(c.replicator.find("1").createdMillis()).isEqualTo(1_234);
        assertThat(c.replicator.find("1").maxInactiveSeconds()).isEqualTo(100);
        assertThat(c.replicator.find("1").uid()).isEqualTo(record.uid());
    }

    @Test
    void sessionThatWasNotPublishedIsNowhereElse() {
        Node a = new Node("a");
        Node b = new Node("b");
        cluster.pump();
        SessionRecord record = a.replicator.create("1", 0);
        a.replicator.end(record, EndReason.INVALIDATED);
        cluster.pump();
        assertThat(b.replicator.size()).isZero();
        assertThat(a.counters.get(Counter.BYTES_SENT)).isZero();
    }

    @Test
    void deltaChangesOnlyWhatItNames() {
        Node a = new Node("a");
        Node b = new Node("b");
        cluster.pump();
        a.create("1", "x", "1", "y", "1");
        a.set("1", "x", "2", "z", "3");
        a.set("1", "y", null);
        cluster.pump();
        assertThat(b.everything()).isEqualTo(Map.of("1/x", "2", "1/z", "3"));
        assertThat(a.counters.get(Counter.IMAGES_SENT)).isEqualTo(1);
        assertThat(a.counters.get(Counter.DELTAS_SENT)).isEqualTo(2);
    }

    @Test
    void lastWriterOfEachAttributeWinsEverywhereWhenTwoNodesWriteAtOnce() {
        Node a = new Node("a");
        Node b = new Node("b");
        Node c = new Node("c");
        cluster.pump();
        a.create("1", "x", "0");
        cluster.pump();
        a.set("1", "x", "from a", "only a", "1");
        b.set("1", "x", "from b", "only b", "1");
        cluster.pump();
        assertThat(a.everything()).isEqualTo(b.everything()).isEqualTo(c.everything());
        assertThat(a.everything()).containsEntry("1/only a", "1").containsEntry("1/only b", "1");
    }

    @Test
    void removedAttributeDoesNotComeBackWithAnOlderWrite() {
        Node a = new Node("a");
        Node b = new Node("b");
        Node c = new Node("c");
        cluster.pump();
        a.create("1", "x", "0");
        cluster.pump();
        cluster.hold("c");
        a.set("1", "x", "1");
        a.set("1", "x", "2");
        cluster.pump();
        b.set("1", "x", null);
        cluster.pump();
        cluster.release("c");
        cluster.pump();
        assertThat(c.everything()).isEmpty();
        assertThat(a.everything()).isEmpty();
    }

    @Test
    void sessionIsSafeWhenAllOthersHaveHandledIt() {
        Node a = new Node("a");
        new Node("b");
        new Node("c");
        cluster.pump();
        cluster.hold("c");
        a.create("1");
        long number = a.set("1", "x", "1");
        assertThat(number).isEqualTo(2);
        cluster.pump();
        assertThat(a.replicator.status()).containsEntry("messages-awaited", 0);
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> a.replicator.awaitSafe(number));
        cluster.release("c");
        cluster.pump();
        assertThat(waiting.orTimeout(10, TimeUnit.SECONDS).join()).isTrue();
    }

    @Test
    void oneAcknowledgementCoversManyDeltas() {
        Node a = new Node("a");
        Node b = new Node("b");
        cluster.pump();
        a.create("1");
        for (int index = 0; index < 100; index++) {
            a.set("1", "x", "" + index);
        }
        cluster.pump();
        assertThat(b.counters.get(Counter.ACKS_SENT)).isEqualTo(1);
        assertThat(a.replicator.awaitSafe(101)).isTrue();
    }

    @Test
    void waitEndsAtItsDeadlineAndALaggingMemberIsNotWaitedForAgain() {
        ReplicationOptions options = new ReplicationOptions(
                Acknowledgement.ALL, Duration.ofMillis(1), Duration.ZERO, Duration.ZERO, id -> id);
        Node a = new Node("a", options);
        new Node("b", options);
        cluster.pump();
        cluster.hold("b");
        a.create("1");
        assertThat(a.replicator.awaitSafe(1)).isFalse();
        assertThat(a.counters.get(Counter.WAIT_TIMEOUTS)).isEqualTo(1);
        assertThat(a.replicator.awaitSafe(a.set("1", "x", "1"))).isTrue();
        assertThat(a.replicator.status()).containsEntry("members-lagging", 1);
        cluster.release("b");
        cluster.pump();
        assertThat(a.replicator.status()).containsEntry("members-lagging", 0);
        cluster.hold("b");
        assertThat(a.replicator.awaitSafe(a.set("1", "x", "2"))).isFalse();
    }

    @Test
    void waitEndsWhenTheAwaitedMemberCrashes() {
        Node a = new Node("a");
        new Node("b");
        cluster.pump();
        cluster.hold("b");
        a.create("1");
        cluster.crash("b");
        cluster.pump();
        assertThat(a.replicator.awaitSafe(1)).isTrue();
        assertThat(a.counters.get(Counter.WAIT_TIMEOUTS)).isZero();
    }

    @Test
    void oneOtherMemberIsEnoughWhenOneIsAskedFor() {
        ReplicationOptions options = ReplicationOptions.defaults().with(Acknowledgement.ONE);
        Node a = new Node("a", options);
        new Node("b", options);
        new Node("c", options);
        cluster.pump();
        cluster.hold("c");
        a.create("1");
        cluster.pump();
        assertThat(a.replicator.awaitSafe(1)).isTrue();
        assertThat(a.counters.get(Counter.WAITS)).isZero();
    }

    @Test
    void nothingIsSentWhileThereIsNobody() {
        Node a = new Node("a");
        a.create("1", "x", "1");
        assertThat(a.set("1", "x", "2")).isZero();
        assertThat(a.counters.get(Counter.BYTES_SENT)).isZero();
    }

    @Test
    void joinerGetsAllSessionsInBoundedChunks() {
        Node a = new Node("a");
        new Node("b");
        cluster.pump();
        String value = "v".repeat(10_000);
        for (int index = 0; index < 100; index++) {
            a.create("id" + index, "x", value, "n", "" + index);
        }
        cluster.pump();
        Node c = new Node("c");
        assertThat(c.replicator.isComplete()).isFalse();
        cluster.pump();
        assertThat(c.replicator.isComplete()).isTrue();
        assertThat(c.everything()).hasSize(200).isEqualTo(a.everything());
        assertThat(a.counters.get(Counter.STATE_CHUNKS_SENT)).isBetween(17L, 20L);
    }

    @Test
    void changesThatOvertakeTheStateAreKept() {
        Node a = new Node("a");
        cluster.pump();
        a.create("1", "x", "old", "y", "old");
        a.create("2", "x", "old");
        Node b = new Node("b");
        cluster.hold("a");
        a.set("1", "x", "new");
        cluster.pump();
        assertThat(b.replicator.find("1")).as("a part of it is no session").isNull();
        cluster.release("a");
        a.replicator.end(a.replicator.find("2"), EndReason.INVALIDATED);
        a.create("3", "x", "new");
        cluster.pump();
        assertThat(b.everything()).isEqualTo(Map.of("1/x", "new", "1/y", "old", "3/x", "new"));
        assertThat(b.replicator.isComplete()).isTrue();
    }

    @Test
    void joinerGoesOnWithTheNextMemberWhenTheOneItAsksCrashes() {
        Node a = new Node("a");
        Node b = new Node("b");
        cluster.pump();
        for (int index = 0; index < 50; index++) {
            a.create("id" + index, "x", "v".repeat(10_000));
        }
        cluster.pump();
        cluster.hold("a");
        Node c = new Node("c");
        cluster.pump();
        assertThat(c.replicator.isComplete()).isFalse();
        cluster.crash("a");
        cluster.pump();
        assertThat(c.replicator.isComplete()).isTrue();
        assertThat(c.everything()).hasSize(50).isEqualTo(b.everything());
    }

    @Test
    void joinerWaitsForWhatTheOneItAsksIsStillFetching() {
        Node a = new Node("a");
        cluster.pump();
        a.create("1", "x", "1");
        cluster.hold("a");
        Node b = new Node("b");
        cluster.pump();
        assertThat(b.replicator.isComplete()).isFalse();
        cluster.partition("a");
        cluster.pump();
        assertThat(b.replicator.isComplete()).as("nobody left to ask").isTrue();
        cluster.heal();
        cluster.hold("a");
        cluster.pump();
        Node c = new Node("c");
        cluster.pump();
        cluster.release("a");
        cluster.pump();
        assertThat(b.everything()).isEqualTo(Map.of("1/x", "1"));
        assertThat(c.everything()).isEqualTo(Map.of("1/x", "1"));
    }

    @Test
    void sidesOfAPartitionHaveTheSameSessionsAfterTheMerge() {
        Node a = new Node("a");
        Node b = new Node("b");
        Node c = new Node("c");
        Node d = new Node("d");
        cluster.pump();
        a.create("1", "x", "0", "y", "0");
        a.create("2", "x", "0");
        a.create("3", "x", "0");
        cluster.pump();
        cluster.partition("c", "d");
        cluster.pump();
        a.set("1", "x", "left");
        c.set("1", "y", "right");
        b.create("4", "x", "left");
        d.create("5", "x", "right");
        a.replicator.end(a.replicator.find("2"), EndReason.INVALIDATED);
        c.set("3", "x", "right");
        c.set("3", "x", "right, later");
        a.set("3", "x", "left");
        cluster.pump();
        assertThat(c.get("2", "x")).isEqualTo("0");
        cluster.heal();
        cluster.pump();
        Map<String, String> expected = Map.of(
                "1/x", "left", "1/y", "right", "3/x", "right, later", "4/x", "left", "5/x", "right");
        for (Node node : List.of(a, b, c, d)) {
            assertThat(node.everything()).as(node.name).isEqualTo(expected);
            assertThat(node.replicator.isComplete()).isTrue();
        }
    }

    @Test
    void sessionThatExpiredOnOneSideAndIsUsedOnTheOtherLivesOn() {
        Node a = new Node("a");
        Node b = new Node("b");
        cluster.pump();
        SessionRecord record = a.create("1", "x", "0");
        cluster.pump();
        cluster.partition("b");
        cluster.pump();
        b.set("1", "x", "used");
        b.set("1", "x", "used again");
        nowNanos += 101 * SECOND;
        assertThat(a.replicator.isDue(record)).isTrue();
        a.replicator.end(record, EndReason.EXPIRED);
        cluster.heal();
        cluster.pump();
        assertThat(a.get("1", "x")).isEqualTo("used again");
        assertThat(b.get("1", "x")).isEqualTo("used again");
        assertThat(b.ended).isEmpty();
    }

    @Test
    void renamedSessionIsFoundUnderItsNewIdOnlyAndKeepsWhatIsOnItsWay() {
        Node a = new Node("a");
        Node b = new Node("b");
        cluster.pump();
        SessionRecord record = a.create("old", "x", "0");
        cluster.pump();
        b.set("old", "y", "on its way");
        a.replicator.rename(record, "new");
        a.publish(record, List.of(new Change(Field.ID, "new".getBytes(StandardCharsets.UTF_8), false)));
        cluster.pump();
        for (Node node : List.of(a, b)) {
            assertThat(node.replicator.find("old")).isNull();
            assertThat(node.get("new", "x")).isEqualTo("0");
            assertThat(node.get("new", "y")).isEqualTo("on its way");
        }
    }

    @Test
    void routeIsNotPartOfTheKey() {
        ReplicationOptions options = new ReplicationOptions(
                Acknowledgement.ALL, Duration.ofSeconds(1), Duration.ZERO, Duration.ZERO, id -> id.split("\\.")[0]);
        Node a = new Node("a", options);
        Node b = new Node("b", options);
        cluster.pump();
        a.create("1.left", "x", "0");
        cluster.pump();
        SessionRecord record = b.replicator.find("1.right");
        assertThat(record.id()).isEqualTo("1.left");
        b.replicator.rename(record, "1.right");
        b.publish(record, List.of(new Change(Field.ID, "1.right".getBytes(StandardCharsets.UTF_8), false)));
        cluster.pump();
        assertThat(a.replicator.find("1.left").id()).isEqualTo("1.right");
    }

    @Test
    void endedSessionIsGoneEverywhereAndStaysSo() {
        Node a = new Node("a");
        Node b = new Node("b");
        cluster.pump();
        SessionRecord record = a.create("1", "x", "0");
        cluster.pump();
        a.set("1", "x", "late");
        b.replicator.end(b.replicator.find("1"), EndReason.INVALIDATED);
        cluster.pump();
        assertThat(a.replicator.find("1")).isNull();
        assertThat(b.replicator.find("1")).isNull();
        assertThat(a.ended).containsExactly(record);
        assertThat(b.ended).as("who ends it knows").isEmpty();
        assertThat(a.replicator.size() + b.replicator.size()).isZero();
    }

    @Test
    void garbageIsCountedAndIgnored() {
        Node a = new Node("a");
        Node b = new Node("b");
        cluster.pump();
        Random random = new Random(7);
        InMemoryCluster.Seat seat = cluster.seats("b").getFirst();
        for (int index = 0; index < 500; index++) {
            byte[] garbage = new byte[random.nextInt(64)];
            random.nextBytes(garbage);
            if (garbage.length > 10) {
                garbage[0] = MessageWriter.FORMAT;
                garbage[9] = (byte) random.nextInt(12);
            }
            seat.send(garbage);
        }
        cluster.pump();
        assertThat(a.counters.get(Counter.MALFORMED)).isGreaterThan(100);
        b.create("1", "x", "1");
        cluster.pump();
        assertThat(a.get("1", "x")).isEqualTo("1");
    }

    @Test
    void attributeNamesWithoutEndDoNotFillASession() {
        Node a = new Node("a");
        SessionRecord record = a.create("1");
        for (int index = 0; index < 1_000; index++) {
            a.set("1", "name" + index, "x");
            a.set("1", "name" + index, null);
        }
        assertThat(record.image(nowNanos).slots()).hasSizeLessThan(200);
    }

    @Test
    void changeWithoutTheRestIsNoSessionAndIsDroppedWhenTheRestDoesNotCome() {
        Node a = new Node("a");
        Node b = new Node("b");
        cluster.pump();
        SessionMessage.Delta delta = new SessionMessage.Delta(
                UUID.randomUUID(),
                new SessionVersion(0, 1, 1),
                List.of(new SessionMessage.Write(changes("x", "1").getFirst(), SessionVersion.NONE)));
        cluster.seats("b").getFirst().send(MessageWriter.encode(0, delta));
        cluster.pump();
        assertThat(a.replicator.size()).isZero();
        assertThat(b.counters.get(Counter.MESSAGES_HANDLED)).as("b was asked for the rest").isGreaterThan(1);
        nowNanos += 11 * SECOND;
        a.replicator.onTick();
        assertThat(a.counters.get(Counter.PARTIAL_DROPPED)).isEqualTo(1);
    }

    /** A request at a failed with a, the next one at b: changes that a still made must not undo those of b. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void changeThatIsConfirmedBecauseItsRivalIsGoneIsNotLostToThatRival(int changesOfRival) {
        ReplicationOptions options = new ReplicationOptions(
                Acknowledgement.ALL, Duration.ofMillis(1), Duration.ZERO, Duration.ZERO, id -> id);
        Node a = new Node("a", options);
        Node b = new Node("b", options);
        Node c = new Node("c", options);
        cluster.pump();
        b.create("1", "cart", "first");
        cluster.pump();
        cluster.hold("a");
        long confirmed = b.set("1", "cart", "first, from b");
        cluster.pump();
        for (int change = 0; change < changesOfRival; change++) {
            a.set("1", "cart", "first, from a " + change);
        }
        cluster.crash("a");
        cluster.hold("c");
        cluster.pump();
        assertThat(b.get("1", "cart")).isEqualTo("first, from b");
        boolean isReasserted = b.counters.get(Counter.CHANGES_REASSERTED) > 0;
        assertThat(b.replicator.awaitSafe(confirmed)).isEqualTo(!isReasserted);
        cluster.release("c");
        cluster.pump();
        assertThat(b.replicator.awaitSafe(confirmed)).isTrue();
        assertThat(c.get("1", "cart")).isEqualTo("first, from b");
        assertThat(isReasserted || changesOfRival == 1).isTrue();
    }

    @Test
    void changeThatItsRivalHasAcknowledgedIsDecidedForGood() {
        Node a = new Node("a");
        Node b = new Node("b");
        Node c = new Node("c");
        cluster.pump();
        b.create("1", "cart", "first");
        cluster.pump();
        b.set("1", "cart", "from b");
        a.set("1", "cart", "from a 1");
        a.set("1", "cart", "from a 2");
        cluster.pump();
        cluster.crash("a");
        cluster.pump();
        assertThat(b.get("1", "cart")).isEqualTo("from a 2");
        assertThat(c.get("1", "cart")).isEqualTo("from a 2");
        assertThat(b.counters.get(Counter.CHANGES_REASSERTED)).isZero();
        assertThat(b.replicator.find("1").isOverruled()).isFalse();
    }

    @Test
    void changeMadeUponAnotherStandsWhenItsWriterIsGone() {
        Node a = new Node("a");
        Node b = new Node("b");
        Node c = new Node("c");
        cluster.pump();
        b.create("1", "cart", "first");
        b.set("1", "cart", "first, second");
        cluster.pump();
        a.set("1", "cart", "first, second, third");
        cluster.crash("a");
        cluster.pump();
        assertThat(b.get("1", "cart")).isEqualTo("first, second, third");
        assertThat(c.get("1", "cart")).isEqualTo("first, second, third");
    }

    @Test
    void changesAreRefusedWhileTooMuchWaitsToBeSent() {
        ReplicationOptions options = new ReplicationOptions(
                Acknowledgement.ALL, Duration.ofMillis(1), Duration.ZERO, Duration.ZERO, id -> id);
        Replicator stuck = new Replicator(
                options, new ReplicationCounters(), ended -> {}, () -> nowNanos, cluster.executor());
        stuck.join((group, listener) -> {
            SessionChannel real = cluster.source("stuck").join(group, listener);
            return new SessionChannel() {
                @Override
                public CompletableFuture<Void> send(byte[] message) {
                    return new CompletableFuture<>();
                }

                @Override
                public boolean sendTo(Member receiver, byte[] message) {
                    return real.sendTo(receiver, message);
                }

                @Override
                public CompletableFuture<Void> post(Member receiver, byte[] message) {
                    return real.post(receiver, message);
                }

                @Override
                public boolean trySendTo(Member receiver, byte[] message) {
                    return real.trySendTo(receiver, message);
                }

                @Override
                public void close() {
                    real.close();
                }
            };
        }, "shop");
        new Node("other", options);
        cluster.pump();
        SessionRecord record = stuck.create("1", 0);
        List<Change> large = List.of(new Change(Field.attribute("x"), new byte[1 << 20], false));
        assertThatThrownBy(() -> {
                    for (int index = 0; index < 20; index++) {
                        stuck.publish(record, large, stuck.contact().standing(), List.of());
                    }
                })
                .isInstanceOf(StalledException.class)
                .hasMessageContaining("wait to be sent");
        Map<String, Object> status = new LinkedHashMap<>(stuck.status());
        assertThat((Long) status.get("bytes-pending")).isLessThan(10L << 20);
        assertThat(status).containsEntry("stalls", 1L);
    }
}
