package dev.tutti.protocols.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** One sender's choice, looked at every 100 ms. */
class RingChoiceTest {

    private final RingChoice choice = new RingChoice();
    private long nowNanos;
    private long sentBytes;
    private int members = 4;

    /** Makes {@code count} looks, with {@code bytes} sent between two of them. */
    private void looks(int count, boolean isHeldUp, long bytes) {
        for (int index = 0; index < count; index++) {
            nowNanos += 100_000_000;
            sentBytes += bytes;
            choice.look(isHeldUp, sentBytes, nowNanos, members);
        }
    }

    @Test
    void sendsToEachAtOnceAtFirst() {
        looks(100, false, 1_000);
        assertThat(choice.isRing()).isFalse();
    }

    @Test
    void triesTheRingWhenHeldUpForAWhileAndKeepsToItIfItIsFaster() {
        looks(4, true, 1_000);
        looks(1, false, 1_000);
        looks(4, true, 1_000);
        assertThat(choice.isRing()).isFalse();
        looks(1, true, 1_000);
        assertThat(choice.isRing()).isTrue();
        looks(1_000, true, 1_200);
        assertThat(choice.isRing()).isTrue();
    }

    @Test
    void goesBackFromARingThatIsNotFasterAndTriesAgainTwiceAsLate() {
        looks(5, true, 1_000);
        looks(6, true, 1_050);
        assertThat(choice.isRing()).isFalse();
        int pause = looksUntilRing();
        looks(6, true, 1_050);
        assertThat(choice.isRing()).isFalse();
        assertThat(looksUntilRing() - pause).isEqualTo(40);
    }

    private int looksUntilRing() {
        int count = 0;
        while (!choice.isRing()) {
            looks(1, true, 1_000);
            count++;
        }
        return count;
    }

    @Test
    void goesBackWhenThereIsLittleToSend() {
        looks(5, true, 1_000);
        looks(6, true, 2_000);
        looks(3, false, 400);
        looks(1, false, 600);
        looks(3, false, 400);
        assertThat(choice.isRing()).isTrue();
        looks(1, false, 400);
        assertThat(choice.isRing()).isFalse();
    }

    @Test
    void doesNotTryWhileTheProcessorIsBusy() {
        choice.onProcessor(true);
        looks(100, true, 1_000);
        assertThat(choice.isRing()).isFalse();
        choice.onProcessor(false);
        looks(5, true, 1_000);
        assertThat(choice.isRing()).isTrue();
    }

    @Test
    void doesNotTryWithTwo() {
        members = 2;
        looks(100, true, 1_000);
        assertThat(choice.isRing()).isFalse();
    }

    @Test
    void newViewBeginsAnew() {
        looks(5, true, 1_000);
        choice.startView();
        assertThat(choice.isRing()).isFalse();
        looks(5, true, 1_000);
        assertThat(choice.isRing()).isTrue();
    }
}
