package dev.tutti.cli.documents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * All programs of the tutorial and the recipes, in some twenty processes that are killed as the pages say.
 */
@Tag("slow")
class RecipesTest {

    @TempDir
    private Path classes;

    private Programs programs;

    @BeforeEach
    void compile() throws IOException {
        programs = new Programs(
                classes, "Ask.java", "Shared.java", "Here.java", "Online.java", "Prices.java", "Boss.java", "Stocktaking.java", "Mails.java", "Stock.java", "Feed.java");
    }

    @AfterEach
    void end() {
        programs.close();
    }

    @Test
    void membersAnswer() throws IOException {
        Terminal ann = programs.start("Ask", "ann");
        programs.start("Ask", "bob");
        typeUntil(ann, "hello", "bob says");
    }

    @Test
    void aMapIsThereAgainAfterAKill() throws IOException {
        Terminal ann = programs.start("Shared", "ann");
        Terminal bob = programs.start("Shared", "bob");
        ann.type("tea green");
        bob.awaits("tea green");
        ann.kill();
        Terminal again = programs.start("Shared", "ann");
        typeUntil(again, "tea", "tea = green");
    }

    @Test
    void presenceShowsWhoComesAndGoes() throws IOException {
        Terminal ann = programs.start("Here", "ann");
        ann.awaits("online: [ann]");
        Terminal bob = programs.start("Here", "bob");
        ann.awaits("+ bob");
        bob.type("");
        ann.awaits("- bob");
        Terminal eve = programs.start("Here", "eve");
        ann.awaits("+ eve");
        eve.kill();
        ann.awaits("- eve");
    }

    @Test
    void aStatusIsThereAsLongAsItsProcess() throws IOException {
        Terminal ann = programs.start("Online", "ann");
        Terminal bob = programs.start("Online", "bob");
        ann.awaits("bob is online");
        bob.type("busy");
        ann.awaits("bob is busy");
        bob.kill();
        ann.awaits("bob is gone");
    }

    @Test
    void aCachedPriceIsComputedAgainWhenItsTimeIsOver() throws IOException {
        Terminal ann = programs.start("Prices", "ann");
        Terminal bob = programs.start("Prices", "bob");
        typeUntil(ann, "tea", "(cached)");
        typeUntil(bob, "tea", "(cached)");
        Terminal eve = programs.start("Prices", "eve");
        typeUntil(eve, "tea", "tea costs 3 euros");
        typeUntil(bob, "tea", "(computed)");
    }

    @Test
    void anotherOneLeadsAfterAKill() throws IOException {
        List<Terminal> all = List.of(programs.start("Boss", "a"), programs.start("Boss", "b"), programs.start("Boss", "c"));
        all.forEach(each -> each.awaits("all three are here"));
        Terminal first = one(all, " leads, token");
        first.kill();
        one(all.stream().filter(each -> each != first).toList(), " leads, token");
    }

    @Test
    void theLockGoesOnAfterAKill() throws IOException {
        List<Terminal> all = List.of(programs.start("Stocktaking", "a"), programs.start("Stocktaking", "b"), programs.start("Stocktaking", "c"));
        // Of two, the one that is left after a kill is no majority of the last primary view.
        all.forEach(each -> each.awaits("all three are here"));
        Terminal first = one(all, "has the lock, token");
        first.kill();
        for (Terminal each : all) {
            if (each != first) {
                each.awaits("has the lock, token");
            }
        }
    }

    @Test
    void aTaskIsRepeatedAfterAKill() throws IOException {
        Terminal desk = programs.start("Mails", "desk");
        Terminal one = programs.start("Mails", "w1");
        desk.type("mail to ann");
        one.awaits("w1 begins mail to ann");
        Terminal two = programs.start("Mails", "w2");
        one.kill();
        two.awaits("w2 begins mail to ann, again");
        two.awaits("w2 has done mail to ann");
    }

    @Test
    void aSlowMemberDoesNotHoldTheCallUp() throws IOException {
        Terminal ann = programs.start("Stock", "ann");
        programs.start("Stock", "bob");
        programs.start("Stock", "slow", "20000");
        typeUntil(ann, "tea", "slow gives no answer");
        assertThat(ann.shows("ann has 30")).isTrue();
    }

    @Test
    void aPublishedLineIsAtEachMember() throws IOException {
        Terminal ann = programs.start("Feed", "ann");
        Terminal bob = programs.start("Feed", "bob");
        ann.awaits("open STOMP");
        bob.awaits("open STOMP");
        typeUntil(ann, "tea 3.20", "tea 3.20");
        Await.until("the line at the other member", () -> bob.shows("tea 3.20"));
    }

    /** Types a line again and again, since the first may come before the members have found each other. */
    private static void typeUntil(Terminal terminal, String line, String shown) {
        Await.until(() -> "the line '" + shown + "' among " + terminal, () -> {
            try {
                terminal.typeAfterAnswer(line);
            } catch (IOException e) {
                throw new AssertionError(terminal + " takes no line", e);
            }
            return terminal.shows(shown);
        });
    }

    private static Terminal one(List<Terminal> terminals, String text) {
        Await.until(() -> "the line '" + text + "' at one of " + terminals, () -> terminals.stream().anyMatch(each -> each.shows(text)));
        return terminals.stream().filter(each -> each.shows(text)).findFirst().orElseThrow();
    }
}
