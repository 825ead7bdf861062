package dev.tutti.campaign.chaos.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.campaign.chaos.journal.ViewSequence.Life;
import dev.tutti.campaign.chaos.journal.ViewSequence.Seen;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** One sequence of views, while processes leave and join. */
class ViewSequenceTest {

    private static final Life LEAVER = life("a-0", "1.1@a.1 a", "2.1@a.1 a b", "3.1@a.1 a b c");
    private static final Life STAYER = life("b-1", "1.1@b.1 b", "2.1@a.1 a b", "3.1@a.1 a b c", "4.1@b.1 b c", "5.1@b.1 b c d");
    private static final Life OTHER = life("c-2", "1.1@c.1 c", "3.1@a.1 a b c", "4.1@b.1 b c", "5.1@b.1 b c d");
    private static final Life NEWCOMER = life("a-3", "1.1@d.1 d", "5.1@b.1 b c d");

    /** @param views each as id and members */
    private static Life life(String name, String... views) {
        return new Life(name, Stream.of(views).map(ViewSequenceTest::seen).toList());
    }

    private static Seen seen(String text) {
        List<String> words = List.of(text.split(" "));
        return Seen.of(words.getFirst(), words.subList(1, words.size()));
    }

    private static List<String> violations(Life... lives) {
        return ViewSequence.violations(List.of(lives), 3);
    }

    @Test
    void isKeptWhenOneLeavesAndOneJoins() {
        assertThat(violations(LEAVER, STAYER, OTHER, NEWCOMER)).isEmpty();
    }

    @Test
    void doesNotBeginWithoutAViewOfAll() {
        assertThat(violations(life("a-0", "1.1@a.1 a", "2.1@a.1 a b"))).containsExactly("there was no view of all 3 processes");
    }

    @Test
    void isBrokenByASplit() {
        Life apart = life("c-2", "3.1@a.1 a b c", "4.1@c.1 c");
        assertThat(violations(LEAVER, STAYER, apart)).anyMatch(text -> text.startsWith("two views have number 4"));
    }

    @Test
    void isBrokenByTwoChangesAtOnce() {
        Life stayer = life("b-1", "3.1@a.1 a b c", "5.1@b.1 b");
        assertThat(violations(LEAVER, stayer)).singleElement().asString().contains("differs from", "by more than one member");
    }

    @Test
    void isBrokenByAViewThatOneProcessMisses() {
        Life misses = life("c-2", "3.1@a.1 a b c", "5.1@b.1 b c d");
        assertThat(violations(LEAVER, STAYER, misses, NEWCOMER)).singleElement().asString().startsWith("c-2 came from view");
    }

    @Test
    void isBrokenByAnExchangeOfMembers() {
        Life stayer = life("b-1", "3.1@a.1 a b c", "4.1@b.1 b c d");
        assertThat(violations(LEAVER, stayer)).singleElement().asString().contains("by more than one member");
    }
}
