package dev.tutti.internal.state;

import dev.tutti.core.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Members that may be asked for the state of a cut, one after another. Guarded by the lock of the {@link Installation}. */
final class Providers {

    private final List<Member> candidates = new ArrayList<>();

    /** Members that have failed to give the state of the cut: they are not asked again for it. */
    private final TreeSet<Member> failed = new TreeSet<>();

    private Set<Member> reachable = Set.of();
    private @Nullable Cut cut;

    /** Begins with the holders of a cut that can be reached; those that have failed for the same cut are left out. */
    void begin(Cut next) {
        if (next != cut) {
            failed.clear();
            cut = next;
        }
        candidates.clear();
        candidates.addAll(next.holders());
        candidates.retainAll(reachable);
        candidates.removeAll(failed);
    }

    /** Notes a view: only {@code together}, the members that came to it with this one, are asked any more. */
    void onView(Set<Member> together) {
        reachable = together;
        candidates.retainAll(together);
    }

    /** Notes the members that can be reached from the next cut on. */
    void onSettled(Set<Member> members) {
        reachable = members;
    }

    void onFailed(Member provider) {
        failed.add(provider);
    }

    /** Takes the next member to ask; null if there is none. */
    @Nullable Member next() {
        return candidates.isEmpty() ? null : candidates.removeFirst();
    }
}
