package dev.tutti.testkit;

import dev.tutti.core.Member;
import dev.tutti.core.ViewId;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.sim.check.History;
import dev.tutti.sim.check.Promise;
import dev.tutti.sim.check.PropertyChecker;
import dev.tutti.sim.check.Violation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** State shared by the witnesses of all members of one group. */
final class GroupHistory {

    private static final int VIOLATIONS_MAX = 20;

    /** A group of one cluster: several clusters may have groups of the same name. */
    record Key(String cluster, String group) implements Comparable<Key> {

        private static final Comparator<Key> ORDER = Comparator.comparing(Key::cluster).thenComparing(Key::group);

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }

        /** Returns the group's name, with that of its cluster if that is not the usual one. */
        @Override
        public String toString() {
            return cluster.equals(TransportSettings.CLUSTER.defaultValue()) ? group : group + " of cluster " + cluster;
        }
    }

    /** A message of a cluster in which no two are equal. */
    record Sent(History.Message message, boolean isScoped) {

        /** Returns whether its listeners are called aside from others. */
        boolean isAside() {
            return isScoped || message.isOutOfBand();
        }
    }

    final History history = new History();

    private final PropertyChecker checker;
    private int checkedCount;
    private final List<Violation> violations = new ArrayList<>();
    final List<Witness> witnesses = new ArrayList<>();

    /** Messages by content, where no two are equal. */
    final Map<Long, Sent> byContent = new TreeMap<>();

    /** By view and sender, the multicasts that the sender delivered to itself, which it does as it sends them. */
    private final Map<ViewId, TreeMap<Member, List<History.Message>>> sent = new TreeMap<>();

    private final Map<Member, TreeMap<Member, List<History.Message>>> unicasts = new TreeMap<>();
    final boolean isDistinct;
    final boolean isWithState;

    /** True if the checker knows the guarantees of this group. */
    final boolean isChecked;

    /**
     * @param isDistinct whether no two messages have the same content: else only reliable order is checked
     * @param isWithState whether members that join skip messages, and have a state instead
     */
    GroupHistory(Promise promise, boolean isDistinct, boolean isWithState) {
        this.isDistinct = isDistinct;
        this.isWithState = isWithState;
        this.isChecked = isDistinct || promise == Promise.RELIABLE;
        this.checker = new PropertyChecker(promise);
    }

    /** Returns the checker, up to the end of the history. */
    PropertyChecker checker() {
        List<History.Entry> entries = history.entries();
        while (checkedCount < entries.size()) {
            checker.take(entries.get(checkedCount++));
        }
        return checker;
    }

    List<Violation> violations() {
        List<Violation> all = new ArrayList<>(checker().violations());
        all.addAll(violations);
        return all;
    }

    List<Violation> violationsAtRest(Collection<Member> present) {
        List<Violation> all = new ArrayList<>(checker().violationsAtRest(present));
        // It is not known here whether a fault or a full queue dropped the last message of an unreliable group.
        all.removeIf(violation -> violation.property().equals("L7"));
        witnesses.stream()
                .filter(witness -> present.contains(witness.self()) && witness.isMember())
                .forEach(witness -> witness.reportUntold(all));
        all.addAll(violations);
        return all;
    }

    void report(String property, String text) {
        if (violations.size() < VIOLATIONS_MAX) {
            violations.add(new Violation(property, text));
        }
    }

    List<History.Message> sent(ViewId view, Member sender) {
        return sent.computeIfAbsent(view, key -> new TreeMap<>()).computeIfAbsent(sender, key -> new ArrayList<>());
    }

    List<History.Message> unicasts(Member sender, Member receiver) {
        return unicasts.computeIfAbsent(sender, key -> new TreeMap<>())
                .computeIfAbsent(receiver, key -> new ArrayList<>());
    }
}
