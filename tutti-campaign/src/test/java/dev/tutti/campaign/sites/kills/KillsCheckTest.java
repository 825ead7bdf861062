package dev.tutti.campaign.sites.kills;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.sites.process.Life;
import dev.tutti.campaign.sites.process.Numbers;
import dev.tutti.campaign.sites.process.Range;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each kind of violation is seen, and what is none is not. */
class KillsCheckTest {

    private static final int SENDER = 0;
    private static final int NEIGHBOUR = 1;

    private static Life sender(boolean isAlive, long accepted) {
        return new Life(SENDER, "berlin", isAlive, accepted, isAlive ? Map.of(SENDER, new Range(1, accepted)) : Map.of());
    }

    private static Life life(int id, String site, boolean isAlive, long first, long last) {
        return new Life(id, site, isAlive, 0, last == 0 ? Map.of() : Map.of(SENDER, new Range(first, last)));
    }

    @Test
    void messagesThatLivingProcessesLackAtTheEndAreCounted() {
        Life sender = new Life(0, "berlin", true, 10, Map.of(0, new Range(1, 10)));
        Life dead = new Life(3, "rome", false, 0, Map.of());
        List<Life> lives = List.of(
                sender, new Life(1, "paris", true, 0, Map.of(0, new Range(1, 8))), new Life(2, "rome", true, 0, Map.of()), dead);
        assertThat(KillsCheck.lackingAtEnd(lives)).isEqualTo(12);
    }

    @Test
    void holesRepetitionsAndLateNumbersAreCounted() {
        Numbers numbers = new Numbers();
        for (long number : new long[] {5, 6, 9, 8, 9, 12}) {
            numbers.add(number);
        }
        assertThat(List.of(numbers.missing(), numbers.late(), numbers.duplicates())).containsExactly(4L, 1L, 1L);
    }

    @Test
    void nothingIsLostIfEverybodyHasEverything() {
        assertThat(KillsCheck.lost(List.of(
                        sender(true, 10), life(NEIGHBOUR, "berlin", true, 1, 10), life(2, "paris", true, 1, 10))))
                .isEmpty();
    }

    @Test
    void siteAndProcessThatLackTheEndAreFound() {
        assertThat(KillsCheck.lost(List.of(
                        sender(true, 10), life(NEIGHBOUR, "berlin", true, 1, 10), life(2, "paris", true, 1, 8))))
                .containsExactly(
                        "site paris lacks messages 9 to 10 of 0 at berlin", "process 2 at paris lacks messages 9 to 10 of 0 at berlin");
    }

    @Test
    void oneProcessThatLacksWhatItsSiteHasIsFound() {
        assertThat(KillsCheck.lost(List.of(sender(true, 10), life(2, "paris", true, 1, 10), life(3, "paris", true, 1, 9))))
                .containsExactly("process 3 at paris lacks messages 10 to 10 of 0 at berlin");
        assertThat(KillsCheck.lost(List.of(sender(true, 10), life(NEIGHBOUR, "berlin", true, 0, 0))))
                .containsExactly("process 1 at berlin lacks messages 1 to 10 of 0 at berlin");
    }

    @Test
    void messagesThatNobodyAtASiteHasBetweenTwoLivesAreFound() {
        assertThat(KillsCheck.lost(List.of(
                        sender(true, 10), life(2, "paris", false, 1, 4), life(3, "paris", true, 6, 10))))
                .containsExactly("site paris lacks messages 5 to 10 of 0 at berlin");
        assertThat(KillsCheck.lost(List.of(
                        sender(true, 10), life(2, "paris", false, 1, 5), life(3, "paris", true, 6, 10))))
                .isEmpty();
    }

    @Test
    void messagesOfAKilledSenderAreDueIfItsNeighbourHasThem() {
        List<Life> known = List.of(sender(false, 10), life(NEIGHBOUR, "berlin", false, 1, 7), life(2, "paris", true, 1, 6));
        assertThat(KillsCheck.lost(known))
                .contains("site paris lacks messages 7 to 7 of 0 at berlin", "process 2 at paris lacks messages 7 to 7 of 0 at berlin");
        assertThat(KillsCheck.lost(List.of(sender(false, 10), life(NEIGHBOUR, "berlin", true, 1, 7), life(2, "paris", true, 1, 7))))
                .isEmpty();
    }

    @Test
    void newcomersNeedNotHaveMessagesOfTheDead() {
        assertThat(KillsCheck.lost(List.of(
                        sender(false, 10), life(NEIGHBOUR, "berlin", true, 1, 7), life(2, "paris", true, 1, 7),
                        life(3, "paris", true, 0, 0))))
                .isEmpty();
    }

    @Test
    void numbersTellWhatIsMissingLateAndTwice() {
        Numbers numbers = new Numbers();
        assertThat(numbers.add(5)).isNull();
        assertThat(numbers.add(6)).isNull();
        assertThat(numbers.add(6)).isEqualTo(Numbers.Fault.DUPLICATE);
        assertThat(numbers.add(9)).isEqualTo(Numbers.Fault.MISSING);
        assertThat(numbers.add(8)).isEqualTo(Numbers.Fault.ORDER);
        assertThat(numbers.add(4)).isEqualTo(Numbers.Fault.ORDER);
        assertThat(numbers.add(10)).isNull();
        assertThat(numbers.first()).isEqualTo(5);
        assertThat(numbers.last()).isEqualTo(10);
    }

    @Test
    void heapThatGrowsByMoreThanNoiseIsNotFlat() {
        assertThat(KillsCheck.isFlat(40 << 20, 70 << 20)).isTrue();
        assertThat(KillsCheck.isFlat(40 << 20, 80 << 20)).isFalse();
    }
}
