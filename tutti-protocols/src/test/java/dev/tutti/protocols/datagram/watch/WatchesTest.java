package dev.tutti.protocols.datagram.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.DatagramEffects;
import dev.tutti.core.driver.Endpoint;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WatchesTest {

    private static final long MILLISECOND = 1_000_000;

    private final Watches watches = new Watches();
    private final List<String> effects = new ArrayList<>();

    private static Endpoint peer(int number) {
        return new Endpoint(0, 0xffff_0a00_0000L + number, 7800);
    }

    private List<String> drained() {
        effects.clear();
        watches.drain(new DatagramEffects() {
            @Override
            public void resolve(String address) {
                throw new AssertionError(address);
            }

            @Override
            public void send(Endpoint to, Packet datagram) {
                throw new AssertionError(to);
            }

            @Override
            public void multicast(Packet datagram) {
                throw new AssertionError(datagram);
            }

            @Override
            public void watch(Endpoint peer) {
                effects.add("watch " + peer);
            }

            @Override
            public void unwatch(Endpoint peer) {
                effects.add("unwatch " + peer);
            }
        });
        return effects;
    }

    @Test
    void asksTheDriverOnceForEachEndpointAndInOrder() {
        watches.begin(peer(1));
        watches.begin(peer(1));
        watches.begin(peer(2));
        watches.end(peer(1));
        watches.end(peer(3));
        watches.begin(peer(1));
        assertThat(drained())
                .containsExactly("watch 10.0.0.1:7800", "watch 10.0.0.2:7800", "unwatch 10.0.0.1:7800", "watch 10.0.0.1:7800");
        assertThat(drained()).isEmpty();
    }

    @Test
    void doubtsDialsForASecondAfterAReport() {
        watches.onRefused(peer(1), 4 * MILLISECOND, 0);
        assertThat(watches.doubtNanos(peer(1), 0)).isEqualTo(58 * MILLISECOND);
        assertThat(watches.doubtNanos(peer(1), 999 * MILLISECOND)).isEqualTo(58 * MILLISECOND);
        assertThat(watches.doubtNanos(peer(1), 1_000 * MILLISECOND)).isZero();
        assertThat(watches.doubtNanos(peer(2), 0)).isZero();
    }

    @Test
    void keepsABoundedNumberOfReports() {
        for (int number = 0; number <= Watches.REPORTS_MAX; number++) {
            watches.onRefused(peer(number), 0, 0);
        }
        assertThat(watches.doubtNanos(peer(0), 0)).isZero();
        assertThat(watches.doubtNanos(peer(1), 0)).isPositive();
        assertThat(watches.doubtNanos(peer(Watches.REPORTS_MAX), 0)).isPositive();
    }
}
