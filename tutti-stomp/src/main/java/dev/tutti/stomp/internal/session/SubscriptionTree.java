package dev.tutti.stomp.internal.session;

import dev.tutti.stomp.internal.codec.Destination;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions by the segments of their destinations, so that a message is compared with those that want it and few
 * others. Belongs to one thread.
 */
final class SubscriptionTree {

    private static final class Branch {
        final Map<String, Branch> branches = new HashMap<>();
        final List<Subscription> subscriptions = new ArrayList<>();

        boolean isEmpty() {
            return branches.isEmpty() && subscriptions.isEmpty();
        }
    }

    private final Branch root = new Branch();

    void add(Subscription subscription) {
        Branch branch = root;
        for (String segment : subscription.destination().segments()) {
            branch = branch.branches.computeIfAbsent(segment, _ -> new Branch());
        }
        branch.subscriptions.add(subscription);
    }

    void remove(Subscription subscription) {
        remove(root, subscription, 0);
    }

    private static void remove(Branch branch, Subscription subscription, int depth) {
        List<String> segments = subscription.destination().segments();
        if (depth == segments.size()) {
            branch.subscriptions.remove(subscription);
            return;
        }
        Branch next = branch.branches.get(segments.get(depth));
        if (next != null) {
            remove(next, subscription, depth + 1);
            if (next.isEmpty()) {
                branch.branches.remove(segments.get(depth));
            }
        }
    }

    /** Calls {@code visitor} for each subscription that a destination without wildcards matches. */
    void match(Destination destination, Consumer<Subscription> visitor) {
        match(root, destination.segments(), 0, visitor);
    }

    private static void match(Branch branch, List<String> segments, int depth, Consumer<Subscription> visitor) {
        visit(branch.branches.get(Destination.REST), visitor);
        if (depth == segments.size()) {
            visit(branch, visitor);
            return;
        }
        Branch exact = branch.branches.get(segments.get(depth));
        if (exact != null) {
            match(exact, segments, depth + 1, visitor);
        }
        Branch any = branch.branches.get(Destination.ONE);
        if (any != null) {
            match(any, segments, depth + 1, visitor);
        }
    }

    private static void visit(@Nullable Branch branch, Consumer<Subscription> visitor) {
        if (branch == null) {
            return;
        }
        // By index, from the end: a visitor may remove its subscription.
        List<Subscription> subscriptions = branch.subscriptions;
        for (int index = subscriptions.size() - 1; index >= 0; index--) {
            if (index < subscriptions.size()) {
                visitor.accept(subscriptions.get(index));
            }
        }
    }

    boolean isEmpty() {
        return root.isEmpty();
    }
}
