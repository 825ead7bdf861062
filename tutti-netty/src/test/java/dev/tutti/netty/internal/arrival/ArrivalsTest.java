package dev.tutti.netty.internal.arrival;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ArrivalsTest {

    /** Tasks that wait for the thread of handshakes, and what that thread has given to the loop. */
    private final ArrayDeque<Runnable> worker = new ArrayDeque<>();

    private final ArrayDeque<Runnable> loop = new ArrayDeque<>();

    /** Tasks for the time when the next stranger may begin. */
    private final ArrayDeque<Runnable> paused = new ArrayDeque<>();

    private final Arrivals arrivals = new Arrivals(worker::add, loop::add, (task, _) -> paused.add(task));
    private final List<String> log = new ArrayList<>();

    /** A connection whose handshake has one task. */
    private final class Stranger implements Arrivals.Arrival {

        private final String host;
        private final String name;

        Stranger(String host, String name) {
            this.host = host;
            this.name = name;
        }

        @Override
        public String host() {
            return host;
        }

        @Override
        public void begin() {
            log.add("begin " + name);
            arrivals.execute(() -> log.add("work " + name));
        }

        @Override
        public void evict() {
            log.add("evict " + name);
        }

        @Override
        public void expire() {
            log.add("expire " + name);
        }
    }

    private Stranger accepted(String host, String name) {
        Stranger stranger = new Stranger(host, name);
        arrivals.onAccepted(stranger, 100);
        return stranger;
    }

    private void finishOneTask() {
        worker.remove().run();
        loop.remove().run();
    }

    @Test
    void evictsTheOldestOfTheHostThatHasMost() {
        Stranger lone = accepted("10.0.0.2", "lone");
        IntStream.rangeClosed(1, Arrivals.SILENT_MAX - 1).forEach(index -> accepted("10.0.0.1", "m" + index));
        assertThat(log).isEmpty();
        accepted("10.0.0.3", "newcomer");
        accepted("10.0.0.1", "late");
        assertThat(log).containsExactly("evict m1", "evict m2");
        assertThat(arrivals.size()).isEqualTo(Arrivals.SILENT_MAX);
        arrivals.remove(lone);
        arrivals.remove(lone);
        assertThat(arrivals.size()).isEqualTo(Arrivals.SILENT_MAX - 1);
    }

    @Test
    void beginsTheNewestHandshakesOfHostsInTurnAsTheThreadHasTime() {
        for (int index = 0; index < 4; index++) {
            arrivals.onReady(accepted("10.0.0.1", "m" + index), true);
        }
        arrivals.onReady(accepted("10.0.0.2", "newcomer"), true);
        assertThat(log).containsExactly("begin m0", "begin m1");
        finishOneTask();
        finishOneTask();
        assertThat(log).containsSequence("work m0", "begin m3", "work m1", "begin newcomer");
    }

    @Test
    void theOldestHandshakeMakesRoomForTheNext() {
        for (int index = 0; index <= Arrivals.HANDSHAKES_MAX; index++) {
            arrivals.onReady(accepted("10.0.0.1", "m" + index), true);
            finishOneTask();
        }
        assertThat(log).contains("evict m0").doesNotContain("evict m1");
        assertThat(arrivals.size()).isEqualTo(Arrivals.HANDSHAKES_MAX);
    }

    @Test
    void strangersBeginAtAPaceAndThoseWithAPassAtOnce() {
        for (int index = 0; index < 3; index++) {
            arrivals.onReady(accepted("10.0.0.1", "stranger " + index), false);
        }
        assertThat(log).containsExactly("begin stranger 0");
        finishOneTask();
        assertThat(log).doesNotContain("begin stranger 2");
        arrivals.onReady(accepted("10.0.0.1", "node"), true);
        assertThat(log).endsWith("begin node");
        finishOneTask();
        paused.remove().run();
        assertThat(log).endsWith("begin stranger 2");
        finishOneTask();
        paused.remove().run();
        assertThat(log).endsWith("begin stranger 1");
        finishOneTask();
        paused.remove().run();
        assertThat(paused).isEmpty();
        assertThat(arrivals.size()).isEqualTo(4);
    }

    @Test
    void strangersNeverEvictThoseWithAPass() {
        arrivals.onReady(accepted("10.0.0.1", "node at work"), true);
        arrivals.onReady(accepted("10.0.0.1", "node in handshake"), true);
        arrivals.onReady(accepted("10.0.0.1", "node that waits"), true);
        for (int index = 0; index <= Arrivals.READY_MAX; index++) {
            arrivals.onReady(accepted("10.0.0.1", "stranger " + index), false);
        }
        finishOneTask();
        finishOneTask();
        finishOneTask();
        for (int index = 0; index <= Arrivals.HANDSHAKES_MAX; index++) {
            arrivals.onReady(accepted("10.0.0.1", "later stranger " + index), false);
            finishOneTask();
            paused.remove().run();
        }
        assertThat(log).contains("begin node that waits", "evict stranger 0")
                .noneMatch(line -> line.startsWith("evict node"));
    }

    @Test
    void endsWhatTakesTooLongInAnyStage() {
        accepted("10.0.0.1", "silent");
        for (int index = 0; index < 3; index++) {
            arrivals.onReady(accepted("10.0.0.1", "m" + index), true);
        }
        Stranger later = new Stranger("10.0.0.1", "later");
        arrivals.onAccepted(later, 200);
        assertThat(arrivals.expire(99)).isEqualTo(100);
        log.clear();
        assertThat(arrivals.expire(100)).isEqualTo(200);
        assertThat(log).containsExactly("expire silent", "expire m0", "expire m1", "expire m2");
        assertThat(arrivals.size()).isEqualTo(1);
        finishOneTask();
        finishOneTask();
        assertThat(log).doesNotContain("begin m2");
        assertThat(arrivals.expire(200)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void countsIpv6ByItsNetwork() {
        assertThat(HostQueue.host(InetAddress.ofLiteral("2001:db8:1:2::7")))
                .isEqualTo(HostQueue.host(InetAddress.ofLiteral("2001:db8:1:2:ffff::9")))
                .isNotEqualTo(HostQueue.host(InetAddress.ofLiteral("2001:db8:1:3::7")));
        assertThat(HostQueue.host(InetAddress.ofLiteral("10.0.0.1"))).isEqualTo("10.0.0.1");
    }
}
