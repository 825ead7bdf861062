package dev.tutti.testkit;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/** The memberships that some processes have at one moment. */
record Memberships(List<SimulatedProcess> processes) {

    /** Returns whether each process has its component, and each group one view of exactly its members here. */
    boolean isOneView() {
        TreeMap<GroupHistory.Key, View> views = new TreeMap<>();
        for (SimulatedProcess process : processes) {
            if (process.component() == null) {
                return false;
            }
            for (Witness witness : process.memberships()) {
                View view = witness.view();
                View other = view == null ? null : views.putIfAbsent(witness.group(), view);
                if (view == null || other != null && !other.equals(view)) {
                    return false;
                }
            }
        }
        // Last, as it takes longest, and this is asked after each event.
        TreeMap<GroupHistory.Key, TreeSet<Member>> members = members();
        return views.entrySet().stream().allMatch(each -> new TreeSet<>(each.getValue().members()).equals(members.get(each.getKey())));
    }

    /** Returns the members by group. */
    TreeMap<GroupHistory.Key, TreeSet<Member>> members() {
        TreeMap<GroupHistory.Key, TreeSet<Member>> members = new TreeMap<>();
        for (SimulatedProcess process : processes) {
            for (Witness witness : process.memberships()) {
                Member self = witness.self();
                if (self != null) {
                    members.computeIfAbsent(witness.group(), group -> new TreeSet<>()).add(self);
                }
            }
        }
        return members;
    }
}
