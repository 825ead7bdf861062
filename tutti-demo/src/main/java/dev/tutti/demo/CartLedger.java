package dev.tutti.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One visitor's knowledge of a cart, from the responses that were received, and from missing ones.
 *
 * <p>An item whose response came must be in every cart from then on. One whose response never came may have arrived or
 * not; but once it was seen it must stay, and once all survivors were asked and it was in none, it must not appear. All
 * items are added once, with a quantity of one. Used by one thread at a time.
 */
final class CartLedger {

    private static final int FINDINGS_MAX = 5;

    private final String visitor;
    private final Set<String> kept = new TreeSet<>();
    private final Set<String> unanswered = new TreeSet<>();
    private final Set<String> refuted = new TreeSet<>();
    private final List<String> findings = new ArrayList<>();
    private int arrivedUnanswered;

    CartLedger(String visitor) {
        this.visitor = visitor;
    }

    /** Notes the response to adding {@code item}. */
    void onAdded(String item, CartView cart) {
        kept.add(item);
        onCart(cart, "the response to adding " + item);
    }

    /** Notes that there was no response to adding {@code item}, or one without a cart. */
    void onUnanswered(String item) {
        unanswered.add(item);
    }

    /**
     * Notes a cart that was received.
     *
     * @param where origin of the cart, for people
     */
    void onCart(CartView cart, String where) {
        for (String item : List.copyOf(unanswered)) {
            if (cart.items().containsKey(item)) {
                unanswered.remove(item);
                kept.add(item);
                arrivedUnanswered++;
            }
        }
        Set<String> missing = new TreeSet<>(kept);
        missing.removeAll(cart.items().keySet());
        Set<String> strange = new TreeSet<>(cart.items().keySet());
        strange.removeAll(kept);
        if (!missing.isEmpty()) {
            find(where, cart, "lacks " + some(missing) + " of " + kept.size() + " items");
        }
        if (!strange.isEmpty()) {
            boolean wasRefuted = strange.stream().anyMatch(refuted::contains);
            find(where, cart, "has " + some(strange) + (wasRefuted ? ", which no survivor had" : ", which nobody added"));
        }
        cart.items().forEach((item, quantity) -> {
            if (quantity != 1 && kept.contains(item)) {
                find(where, cart, "has " + item + " " + quantity + " times; it was added once");
            }
        });
        Set<String> ordered = new TreeSet<>(cart.order());
        if (ordered.size() != cart.order().size() || !ordered.equals(cart.items().keySet())) {
            Set<String> unlisted = new TreeSet<>(cart.items().keySet());
            unlisted.removeAll(ordered);
            Set<String> unfounded = new TreeSet<>(ordered);
            unfounded.removeAll(cart.items().keySet());
            find(where, cart, "has an order that is not of its items: it lacks " + some(unlisted) + ", has in excess "
                    + some(unfounded) + ", and has " + (cart.order().size() - ordered.size()) + " twice");
        }
    }

    /** Notes a cart when all survivors are in one view: items that are not in it never arrived. */
    void onSettled(CartView cart, String where) {
        onCart(cart, where);
        refuted.addAll(unanswered);
        unanswered.clear();
    }

    /** Notes that a request that should have been answered was not. */
    void onMissingAnswer(String where, String what) {
        find(where, null, what);
    }

    private void find(String where, @Nullable CartView cart, String what) {
        if (findings.size() < FINDINGS_MAX) {
            String answered = cart == null ? "" : " (served by " + cart.node() + ", session " + cart.session() + ")";
            findings.add(visitor + ": " + where + answered + " " + what);
        }
    }

    private static String some(Set<String> items) {
        String first = String.join(", ", items.stream().limit(3).toList());
        return items.size() > 3 ? first + " … (" + items.size() + ")" : items.isEmpty() ? "none" : first;
    }

    /** Returns whether no finding was made so far. */
    boolean isComplete() {
        return findings.isEmpty();
    }

    /** Returns the first few findings. */
    List<String> findings() {
        return List.copyOf(findings);
    }

    /** Returns the number of items that must be in the cart. */
    int keptCount() {
        return kept.size();
    }

    /** Returns the number of those without a response. */
    int arrivedUnansweredCount() {
        return arrivedUnanswered;
    }

    /** Returns the number of items that had no response, and did not arrive. */
    int refutedCount() {
        return refuted.size();
    }
}
