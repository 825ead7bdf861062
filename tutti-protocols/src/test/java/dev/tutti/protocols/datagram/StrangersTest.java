package dev.tutti.protocols.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.driver.Endpoint;
import org.junit.jupiter.api.Test;

class StrangersTest {

    private static final long SECOND = 1_000_000_000L;

    private final Strangers strangers = new Strangers();

    private static Endpoint endpoint(int port) {
        return new Endpoint(0, 0xffff_0a00_0001L, port);
    }

    @Test
    void eachIsToldOnceInASecond() {
        assertThat(strangers.isDue(endpoint(1), 0)).isTrue();
        assertThat(strangers.isDue(endpoint(1), SECOND - 1)).isFalse();
        assertThat(strangers.isDue(endpoint(1), SECOND)).isTrue();
    }

    @Test
    void forgedSendersAreBoundedInNumber() {
        for (int port = 1; port <= 1_000; port++) {
            strangers.isDue(endpoint(port), port);
        }
        assertThat(strangers.told()).isEqualTo(Strangers.TOLD_MAX);
        assertThat(strangers.isDue(endpoint(1_000), SECOND + 1_000)).isTrue();
    }
}
