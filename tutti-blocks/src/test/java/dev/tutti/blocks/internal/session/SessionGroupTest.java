package dev.tutti.blocks.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.blocks.map.MapException;
import dev.tutti.blocks.session.Acknowledgement;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/** The sessions of containers in virtual time. */
class SessionGroupTest {

    private static final Duration INTERVAL = Duration.ofMinutes(3);

    /** A container whose requests use some sessions for long. */
    private static final class Holder implements SessionGroup.Container {
        final SessionCounters counters = new SessionCounters();
        final List<String> told = new ArrayList<>();
        final Set<String> inUse = new TreeSet<>();
        final SessionGroup group;

        Holder(Node node, UnaryOperator<SessionSettings> settings) {
            group = new SessionGroup(settings.apply(SessionSettings.of(node)), "/shop", counters, this);
        }

        @Override
        public void onExpired(String id, SessionRecord session) {
            told.add(id + " with " + session.attributes().keySet());
            if (id.equals("bad")) {
                throw new IllegalStateException("a listener that fails");
            }
        }

        @Override
        public void touchInUse(long nowMillis) {
            inUse.forEach(id -> group.touch(id, nowMillis, INTERVAL));
        }

        void create(String id) {
            group.create(id, Instant.EPOCH, changes("x"));
        }
    }

    private static SessionChanges changes(String name) {
        return new SessionChanges(Instant.EPOCH, INTERVAL, false, null, Map.of(name, new byte[1]));
    }

    private static Components<Holder> start(Cluster cluster, UnaryOperator<SessionSettings> settings) {
        Components<Holder> holders = cluster.startAll(node -> new Holder(node, settings));
        cluster.awaitOneView();
        return holders;
    }

    @ClusterTest(nodes = 3, seeds = 3)
    void oneNodeTellsOfEachExpiredSessionAndGoesOnWhenAListenerFails(Cluster cluster) {
        Components<Holder> holders = start(cluster, UnaryOperator.identity());
        holders.run(2, holder -> holder.create("bad"));
        holders.run(3, holder -> holder.create("good"));
        cluster.advance(INTERVAL).advance(Duration.ofSeconds(5));
        List<String> told = new ArrayList<>();
        long expired = 0;
        for (Holder holder : holders.running()) {
            told.addAll(holder.told);
            expired += holder.counters.expired.sum();
        }
        assertThat(told).containsExactlyInAnyOrder("bad with [x]", "good with [x]");
        assertThat(expired).as("sessions whose listeners were called").isEqualTo(2);
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void aSessionThatALongRequestUsesExpiresAnIntervalAfterItsEnd(Cluster cluster) {
        Components<Holder> holders = start(cluster, UnaryOperator.identity());
        holders.run(2, holder -> {
            holder.create("s");
            holder.inUse.add("s");
        });
        cluster.advance(INTERVAL.multipliedBy(2));
        assertThat(holders.<Boolean>ask(1, holder -> holder.group.live("s") != null)).isTrue();
        holders.run(2, holder -> holder.inUse.clear());
        cluster.advance(INTERVAL).advance(Duration.ofSeconds(5));
        assertThat(holders.<Boolean>ask(1, holder -> holder.group.live("s") == null && holder.group.hasEnded("s"))).isTrue();
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void whatOthersDoNotConfirmOrAnswerInTimeIsCounted(Cluster cluster) {
        Components<Holder> holders = start(cluster, settings -> settings.withAcknowledgementTimeout(Duration.ofSeconds(1)));
        holders.run(1, holder -> holder.create("s"));
        cluster.pause(2);
        holders.run(1, holder -> {
            assertThatThrownBy(() -> holder.group.update("s", changes("y"))).isInstanceOf(MapException.class).hasMessageContaining("within PT1S");
            assertThat(holder.counters.notWritten.sum()).isEqualTo(1);
            holder.group.sync();
            assertThat(holder.counters.notSynced.sum()).isEqualTo(1);
        });
        cluster.resume(2);
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void withoutAcknowledgementAWriteOfAnExistingSessionIsNotWaitedFor(Cluster cluster) {
        Components<Holder> holders = start(cluster, settings -> settings.withAcknowledgement(Acknowledgement.NONE));
        holders.run(1, holder -> holder.create("s"));
        cluster.pause(2);
        holders.run(1, holder -> holder.group.update("s", changes("y")));
        cluster.resume(2);
        cluster.awaitOneView().advance(Duration.ofSeconds(1));
        assertThat(holders.<Set<String>>ask(2, holder -> holder.group.live("s").attributes().keySet())).containsExactly("x", "y");
        assertThat(holders.<Boolean>ask(1, holder -> holder.group.isAlone())).isFalse();
        cluster.stop(2);
        cluster.advance(Duration.ofSeconds(1));
        assertThat(holders.<Boolean>ask(1, holder -> holder.group.isAlone())).isTrue();
    }
}
