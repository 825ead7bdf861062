package dev.tutti.protocols.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.settings.Settings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class GroupStackTest {

    private static final Settings SETTINGS = Settings.of(GroupSettings.ALL);

    private static Duration ackDelay(Settings settings, int multicastBytes) {
        return Duration.ofNanos(GroupStack.ackDelayNanos(settings, multicastBytes));
    }

    @Test
    void acknowledgementsWaitLongerWhereNothingIsLostOrLate() {
        Settings ring = SETTINGS.with(GroupSettings.DISSEMINATION, GroupSettings.Dissemination.RING);
        Settings auto = SETTINGS.with(GroupSettings.DISSEMINATION, GroupSettings.Dissemination.AUTO);
        assertThat(ackDelay(SETTINGS, 0)).isEqualTo(Duration.ofMillis(20));
        assertThat(ackDelay(SETTINGS, 200_000)).isEqualTo(Duration.ofMillis(2));
        assertThat(ackDelay(ring, 0)).isEqualTo(Duration.ofMillis(2));
        assertThat(ackDelay(auto, 0)).isEqualTo(Duration.ofMillis(2));
    }

    @Test
    void whoWantsAcknowledgementsSoonerHasThem() {
        Settings soon = SETTINGS.with(GroupSettings.ACK_DELAY, Duration.ofMillis(1));
        assertThat(ackDelay(soon, 0)).isEqualTo(Duration.ofMillis(1));
        assertThat(ackDelay(soon, 200_000)).isEqualTo(Duration.ofMillis(1));
    }
}
