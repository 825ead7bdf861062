package dev.tutti.blocks.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.map.MapException;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.blocks.map.TotalOrderMap;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sessions in virtual time. */
class SessionStoreTest {

    private static final Duration INTERVAL = Duration.ofMinutes(3);
    private static final Instant CREATED = Instant.ofEpochMilli(1_000_000);

    /** A store, and the ends that it was told of. */
    private static final class Holder implements SessionStore.Observer {
        final SessionStore store;
        final List<String> events = new ArrayList<>();

        Holder(Node node) {
            store = new SessionStore(node.group("sessions").set("total.delivery", "safe"), Duration.ofSeconds(10), this);
        }

        @Override
        public void onCreated(String id, SessionRecord session) {
            events.add("created " + id);
        }

        @Override
        public void onEnded(String id, SessionRecord session, boolean isExpired, boolean isFirst) {
            events.add((isExpired ? "expired " : "ended ") + id + " with " + texts(session) + (isFirst ? " first" : ""));
        }

        void create(String id, String... attributes) {
            store.await(() -> store.create(id, CREATED, "", changes(attributes)));
        }

        void update(String id, String... attributes) {
            store.await(() -> store.update(id, changes(attributes)));
        }

        SessionRecord find(String id) {
            store.sync();
            return store.live(id);
        }
    }

    /** @param attributes names and values; "-" removes */
    private static SessionChanges changes(String... attributes) {
        Map<String, byte[]> bytes = new LinkedHashMap<>();
        for (int index = 0; index < attributes.length; index += 2) {
            String value = attributes[index + 1];
            bytes.put(attributes[index], value.equals("-") ? null : value.getBytes(StandardCharsets.UTF_8));
        }
        return new SessionChanges(CREATED, INTERVAL, false, null, bytes);
    }

    private static Map<String, String> texts(SessionRecord session) {
        Map<String, String> texts = new TreeMap<>();
        session.attributes().forEach((name, bytes) -> texts.put(name, new String(bytes, StandardCharsets.UTF_8)));
        return texts;
    }

    private static Components<Holder> start(Cluster cluster) {
        Components<Holder> holders = cluster.startAll(Holder::new);
        cluster.awaitOneView();
        return holders;
    }

    private static Map<String, String> at(Components<Holder> holders, int number, String id) {
        return holders.ask(number, holder -> {
            SessionRecord found = holder.find(id);
            return found == null ? Map.of("no", "session") : texts(found);
        });
    }

    @ClusterTest(nodes = 3, seeds = 3)
    void aSessionExpiresAtAllMembersAtOnceAnIntervalAfterItsLastUse(Cluster cluster) {
        Components<Holder> holders = start(cluster);
        holders.run(2, holder -> holder.create("s", "x", "1"));
        cluster.advance(INTERVAL.minusMinutes(1));
        holders.run(3, holder -> holder.update("s", "y", "2"));
        cluster.advance(INTERVAL.minusMinutes(1));
        assertThat(at(holders, 1, "s")).containsOnly(Map.entry("x", "1"), Map.entry("y", "2"));
        cluster.advance(Duration.ofSeconds(59));
        assertThat(at(holders, 1, "s")).as("a second too early").hasSize(2);
        cluster.advance(Duration.ofSeconds(3));
        for (int number = 1; number <= 3; number++) {
            assertThat(at(holders, number, "s")).containsKey("no");
        }
        assertThat(holders.running()).allSatisfy(holder -> assertThat(holder.events).hasSize(2).first().isEqualTo("created s"));
        assertThat(holders.running().stream().map(holder -> holder.events.getLast()))
                .as("with all attributes, and one member is to act")
                .containsExactlyInAnyOrder(
                        "expired s with {x=1, y=2} first", "expired s with {x=1, y=2}", "expired s with {x=1, y=2}");
        cluster.advance(Duration.ofMinutes(2));
        assertThat(holders.running()).allSatisfy(holder -> assertThat(holder.store.entries()).as("nothing is left").isZero());
    }

    @ClusterTest(nodes = 3, seeds = 3)
    void whatWasWrittenOutlivesTheMemberThatWroteIt(Cluster cluster) {
        Components<Holder> holders = start(cluster);
        holders.run(1, holder -> holder.create("s", "x", "1"));
        cluster.crash(1);
        assertThat(at(holders, 2, "s")).containsOnly(Map.entry("x", "1"));
        cluster.advance(INTERVAL.multipliedBy(2)).advance(Duration.ofSeconds(30));
        for (int number = 2; number <= 3; number++) {
            assertThat(at(holders, number, "s")).as("measured anew by the next oldest, and then gone").containsKey("no");
        }
        assertThat(holders.running().stream().filter(holder -> holder.events.getLast().endsWith("first"))).hasSize(1);
    }

    @ClusterTest(nodes = 2, seeds = 3)
    void anEndedSessionIsNotBroughtBack(Cluster cluster) {
        Components<Holder> holders = start(cluster);
        holders.run(1, holder -> holder.create("s", "x", "1"));
        holders.run(2, holder -> holder.store.await(() -> holder.store.end("s", "")));
        // A request whose write began before it knew of the end.
        holders.run(1, holder -> holder.update("s", "x", "2"));
        assertThat(at(holders, 1, "s")).containsKey("no");
        assertThat(at(holders, 2, "s")).containsKey("no");
        cluster.advance(Duration.ofMinutes(2));
        assertThat(holders.running()).allSatisfy(holder -> {
            assertThat(holder.store.entries()).as("the memory of its end").isEqualTo(1);
            assertThat(holder.events).hasSize(2).last().asString().startsWith("ended s with {x=1}");
        });
        cluster.advance(SessionStore.MEMORY);
        assertThat(holders.running()).allSatisfy(holder -> assertThat(holder.store.entries()).isZero());
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void aNewSessionWithTheIdOfAnEndedOneHasNothingOfIt(Cluster cluster) {
        Components<Holder> holders = start(cluster);
        holders.run(1, holder -> holder.create("s", "x", "1", "secret", "1"));
        holders.run(2, holder -> holder.store.await(() -> holder.store.end("s", "")));
        holders.run(1, holder -> {
            assertThat(holder.find("s")).isNull();
            holder.create("s", "x", "2");
        });
        assertThat(at(holders, 1, "s")).containsOnly(Map.entry("x", "2"));
        assertThat(at(holders, 2, "s")).containsOnly(Map.entry("x", "2"));
        for (int minutes = 0; minutes < SessionStore.MEMORY.toMinutes() + 2; minutes += 2) {
            cluster.advance(Duration.ofMinutes(2));
            holders.run(2, holder -> holder.update("s", "x", "2"));
        }
        assertThat(at(holders, 2, "s")).as("when its predecessor is forgotten").containsOnly(Map.entry("x", "2"));
    }

    @ClusterTest(nodes = 2, seeds = 3)
    void anotherIdTakesAllAlongChangesOfOthersIncluded(Cluster cluster) {
        Components<Holder> holders = start(cluster);
        holders.run(1, holder -> holder.create("s", "x", "1", "y", "1", "z", "1"));
        holders.run(2, holder -> holder.update("s", "y", "2"));
        holders.run(1, holder -> {
            SessionRecord present = holder.find("s");
            holder.store.await(() -> holder.store.rename("s", "t", present, changes("x", "3", "z", "-")));
        });
        assertThat(at(holders, 2, "t")).containsOnly(Map.entry("x", "3"), Map.entry("y", "2"));
        assertThat(at(holders, 2, "s")).containsKey("no");
        assertThat(holders.on(2).events).containsExactly("created s");
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void attributesOfTwoMembersAreMergedAndANewcomerHasThem(Cluster cluster) {
        Components<Holder> holders = start(cluster);
        holders.run(1, holder -> holder.create("s", "x", "1"));
        cluster.stop(2);
        holders.run(1, holder -> holder.update("s", "y", "2"));
        cluster.start(2);
        cluster.awaitOneView();
        assertThat(at(holders, 2, "s")).containsOnly(Map.entry("x", "1"), Map.entry("y", "2"));
        assertThat(holders.on(2).events).as("no news").isEmpty();
    }

    @ClusterTest(nodes = 2, seeds = 5)
    @Tag("seeds")
    void sessionsOfBothSidesOfAPartitionAreThereAfterwards(Cluster cluster) {
        Components<Holder> holders = start(cluster);
        holders.run(1, holder -> holder.create("s", "x", "1"));
        cluster.advance(Duration.ofSeconds(1)).partition(1).advance(Duration.ofSeconds(30));
        holders.run(1, holder -> holder.update("s", "left", "1"));
        holders.run(2, holder -> holder.update("s", "right", "1"));
        holders.run(2, holder -> holder.create("t", "x", "2"));
        holders.keep(Duration.ofMillis(3), holder -> {
            assertThat(holder.find("s")).as("found while the sides meet").isNotNull();
            holder.update("s", "meeting", "1");
        });
        cluster.heal().awaitOneView(Duration.ofMinutes(2)).advance(Duration.ofSeconds(1)).quiet();
        cluster.advance(Duration.ofSeconds(5)).awaitRest();
        for (int number = 1; number <= 2; number++) {
            assertThat(at(holders, number, "s")).containsOnlyKeys("x", "left", "right", "meeting");
            assertThat(at(holders, number, "t")).containsOnlyKeys("x");
        }
    }

    @Test
    void noBytesThrowAnythingButThatTheyAreMalformed() {
        Random random = new Random(1);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = new byte[random.nextInt(24)];
            random.nextBytes(bytes);
            for (SessionKey.Field field : SessionKey.Field.values()) {
                try {
                    SessionRecord read = SessionRecord.NONE.with(SessionKey.of("s", field), bytes);
                    assertThat(read.isEmpty()).isEqualTo(field == SessionKey.Field.INDEX && read.index().isEmpty());
                } catch (MalformedException e) {
                    assertThat(e).hasMessageNotContaining("null");
                }
            }
        }
    }

    @ClusterTest(nodes = 3, seeds = 2)
    void fieldsThatCanNotBeReadAreIgnoredAlikeAndCounted(Cluster cluster) {
        Components<Object> members = cluster.startAll(node -> node.name().equals("n1")
                ? ReplicatedMap.on(node.group("sessions").set("total.delivery", "safe"), SessionKey.CODEC, Codec.BYTES).totalOrder()
                : new Holder(node));
        cluster.awaitOneView();
        members.run(2, holder -> ((Holder) holder).create("s", "x", "1"));
        members.run(1, liar -> {
            @SuppressWarnings("unchecked")
            TotalOrderMap<SessionKey, byte[]> map = (TotalOrderMap<SessionKey, byte[]>) liar;
            map.put(SessionKey.of("s", SessionKey.Field.CREATED), new byte[3]);
            map.put(SessionKey.of("t", SessionKey.Field.INDEX), new byte[] {127, 127, 127, 127});
        });
        for (int number = 2; number <= 3; number++) {
            members.run(number, holder -> {
                assertThat(texts(((Holder) holder).find("s"))).containsOnly(Map.entry("x", "1"));
                assertThat(((Holder) holder).store.malformed()).isEqualTo(2);
            });
        }
    }

    @ClusterTest(nodes = 3, seeds = 5)
    @Tag("seeds")
    void aMemberThatWasSuspendedFindsAndWritesAtTheSideOfTheOthers(Cluster cluster) {
        Components<Holder> holders = start(cluster);
        holders.run(3, holder -> holder.create("s", "x", "1"));
        cluster.pause(3).advance(Duration.ofSeconds(20));
        holders.run(1, holder -> holder.update("s", "x", "2"));
        cluster.resume(3);
        holders.run(3, holder -> {
            assertThat(holder.find("s")).as("found, if not with the last changes").isNotNull();
            holder.update("s", "y", "3");
        });
        cluster.awaitOneView().advance(Duration.ofSeconds(5)).awaitRest();
        for (int number = 1; number <= 3; number++) {
            assertThat(at(holders, number, "s")).containsOnly(Map.entry("x", "2"), Map.entry("y", "3"));
        }
    }

    @Test
    void anActionIsRepeatedAtTheSideThatIsMetAndNeverForAnotherReason() {
        AtomicInteger calls = new AtomicInteger();
        SessionStore.repeated(() -> {
            if (calls.incrementAndGet() < 3) {
                throw new MapException(MapException.Reason.REPLACED, "another side");
            }
        });
        assertThat(calls).hasValue(3);
        for (MapException.Reason reason : MapException.Reason.values()) {
            calls.set(0);
            assertThatThrownBy(() -> SessionStore.repeated(() -> {
                        calls.incrementAndGet();
                        throw new MapException(reason, "again and again");
                    }))
                    .hasMessage("again and again");
            assertThat(calls).as("%s", reason).hasValue(reason == MapException.Reason.REPLACED ? 5 : 1);
        }
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void aWriteThatIsNotDeliveredInTimeFailsWithAReason(Cluster cluster) {
        Components<Holder> holders = start(cluster);
        holders.run(1, holder -> holder.store.close());
        holders.run(1, holder -> {
            try {
                holder.create("s");
                assertThat(false).as("written to a group that was left").isTrue();
            } catch (MapException e) {
                assertThat(e.reason()).isEqualTo(MapException.Reason.CLOSED);
            }
        });
    }
}
