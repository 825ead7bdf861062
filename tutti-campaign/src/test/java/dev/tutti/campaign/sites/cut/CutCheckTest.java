package dev.tutti.campaign.sites.cut;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.sites.process.Life;
import dev.tutti.campaign.sites.process.Range;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Messages of living and killed senders that are lost between sites are seen, and those that may be missing are not. */
class CutCheckTest {

    private static final int SENDER = 0;

    private static Life sender(boolean isAlive, long accepted, long own) {
        return new Life(SENDER, "rome", isAlive, accepted, Map.of(SENDER, new Range(1, own)));
    }

    private static Life life(int id, String site, boolean isAlive, long first, long last) {
        return new Life(id, site, isAlive, 0, last == 0 ? Map.of() : Map.of(SENDER, new Range(first, last)));
    }

    @Test
    void nothingIsLostIfEverybodyHasEverything() {
        List<Life> lives = List.of(sender(true, 10, 10), life(1, "rome", true, 1, 10), life(2, "paris", true, 1, 10));
        assertThat(CutCheck.lost(lives, Map.of())).isEmpty();
    }

    @Test
    void messagesOfALivingSenderAreDueEverywhere() {
        List<Life> lives = List.of(
                sender(true, 10, 10), life(1, "rome", true, 1, 9), life(2, "paris", true, 1, 8), life(3, "paris", true, 1, 7));
        assertThat(CutCheck.lost(lives, Map.of()))
                .containsExactly(
                        "process 1 at rome lacks messages 10 to 10 of 0 at rome",
                        "site paris lacks messages 9 to 10 of 0 at rome",
                        "process 2 at paris lacks messages 9 to 10 of 0 at rome",
                        "process 3 at paris lacks messages 8 to 10 of 0 at rome");
    }

    @Test
    void messagesOfAKilledSenderAreDueAtOtherSitesIfTheyAreOnDisk() {
        List<Life> lives = List.of(
                sender(false, 10, 9), life(1, "rome", false, 1, 8), life(2, "rome", true, 0, 0), life(3, "paris", true, 1, 8));
        assertThat(CutCheck.lost(lives, Map.of(SENDER, 9L)))
                .containsExactly("site paris lacks messages 9 to 9 of 0 at rome", "process 3 at paris lacks messages 9 to 9 of 0 at rome");
        assertThat(CutCheck.lost(lives, Map.of(SENDER, 8L))).isEmpty();
    }

    @Test
    void aHoleAtTheBeginningIsSeen() {
        List<Life> lives = List.of(sender(false, 10, 10), life(3, "paris", true, 4, 10));
        assertThat(CutCheck.lost(lives, Map.of(SENDER, 10L))).containsExactly("site paris lacks messages 1 to 10 of 0 at rome");
    }

    @Test
    void whatWasAcceptedOrAnyProcessOfTheSiteHasDeliveredIsOnDisk() {
        Life sender = sender(false, 8, 7);
        assertThat(CutCheck.onDisk(List.of(sender, life(1, "rome", false, 1, 9), life(3, "paris", true, 1, 4)), sender)).isEqualTo(9);
        assertThat(CutCheck.onDisk(List.of(life(3, "paris", true, 1, 4)), sender)).isEqualTo(8);
    }

    @Test
    void acceptedMessagesThatASiteLacksAreCounted() {
        Life sender = sender(false, 10, 9);
        List<Life> lives = List.of(sender, life(2, "berlin", true, 1, 10), life(3, "paris", true, 1, 8));
        assertThat(CutCheck.missing(lives, sender)).isEqualTo(2);
    }
}
