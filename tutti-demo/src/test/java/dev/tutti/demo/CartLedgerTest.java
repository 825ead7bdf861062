package dev.tutti.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CartLedgerTest {

    private final CartLedger ledger = new CartLedger("visitor 1");

    private static CartView cart(String... items) {
        Map<String, Integer> quantities = new TreeMap<>();
        for (String item : items) {
            quantities.put(item, 1);
        }
        return new CartView("node1", "S", quantities, List.of(items));
    }

    @Test
    void isCompleteWhenEachAnsweredItemIsThere() {
        ledger.onAdded("tea", cart("tea"));
        ledger.onAdded("bread", cart("tea", "bread"));
        ledger.onCart(cart("tea", "bread"), "a look");
        assertThat(ledger.isComplete()).isTrue();
        assertThat(ledger.keptCount()).isEqualTo(2);
    }

    @Test
    void findsAnAnsweredItemThatIsLost() {
        ledger.onAdded("tea", cart("tea"));
        ledger.onCart(cart(), "the cart at node2");
        assertThat(ledger.isComplete()).isFalse();
        assertThat(ledger.findings()).singleElement().asString()
                .contains("visitor 1").contains("the cart at node2").contains("node1").contains("lacks tea of 1 items");
    }

    @Test
    void findsAnItemThatIsLostInTheVeryResponseToTheNext() {
        ledger.onAdded("tea", cart("tea"));
        ledger.onAdded("bread", cart("bread"));
        assertThat(ledger.findings()).singleElement().asString().contains("lacks tea");
    }

    @Test
    void acceptsAnUnansweredItemThatIsThere() {
        ledger.onUnanswered("tea");
        ledger.onCart(cart("tea"), "a look");
        assertThat(ledger.isComplete()).isTrue();
        assertThat(ledger.keptCount()).isEqualTo(1);
        assertThat(ledger.arrivedUnansweredCount()).isEqualTo(1);
    }

    @Test
    void acceptsAnUnansweredItemThatIsNotThere() {
        ledger.onUnanswered("tea");
        ledger.onSettled(cart(), "settled");
        assertThat(ledger.isComplete()).isTrue();
        assertThat(ledger.refutedCount()).isEqualTo(1);
    }

    @Test
    void acceptsAnUnansweredItemThatComesBeforeAllIsSettled() {
        ledger.onUnanswered("tea");
        ledger.onCart(cart(), "a look");
        ledger.onCart(cart("tea"), "a look");
        assertThat(ledger.isComplete()).isTrue();
    }

    @Test
    void findsAnUnansweredItemThatGoesAgain() {
        ledger.onUnanswered("tea");
        ledger.onCart(cart("tea"), "a look");
        ledger.onCart(cart(), "another look");
        assertThat(ledger.findings()).singleElement().asString().contains("another look").contains("lacks tea");
    }

    @Test
    void findsAnItemThatComesAfterItWasSettledThatItWillNot() {
        ledger.onUnanswered("tea");
        ledger.onSettled(cart(), "settled");
        ledger.onCart(cart("tea"), "a look");
        assertThat(ledger.findings()).singleElement().asString().contains("tea, which no survivor had");
    }

    @Test
    void findsAnItemThatNobodyAdded() {
        ledger.onCart(cart("honey"), "a look");
        assertThat(ledger.findings()).singleElement().asString().contains("honey, which nobody added");
    }

    @Test
    void findsAnItemThatWasAddedTwice() {
        ledger.onAdded("tea", new CartView("node1", "S", Map.of("tea", 2), List.of("tea")));
        assertThat(ledger.findings()).singleElement().asString().contains("has tea 2 times");
    }

    @Test
    void findsAListThatIsNotOfTheItems() {
        ledger.onAdded("tea", new CartView("node1", "S", Map.of("tea", 1), List.of()));
        ledger.onCart(new CartView("node1", "S", Map.of("tea", 1), List.of("tea", "tea")), "a look");
        assertThat(ledger.findings()).hasSize(2);
        assertThat(ledger.findings().getFirst()).contains("it lacks tea");
        assertThat(ledger.findings().getLast()).contains("has 1 twice");
    }

    @Test
    void findsAMissingAnswer() {
        ledger.onMissingAnswer("the cart at node2", "does not answer");
        assertThat(ledger.findings()).containsExactly("visitor 1: the cart at node2 does not answer");
    }

    @Test
    void keepsTheFirstFindingsOnly() {
        ledger.onAdded("tea", cart("tea"));
        for (int i = 0; i < 100; i++) {
            ledger.onCart(cart(), "look " + i);
        }
        assertThat(ledger.findings()).hasSize(5);
        assertThat(ledger.findings().getFirst()).contains("look 0");
    }
}
