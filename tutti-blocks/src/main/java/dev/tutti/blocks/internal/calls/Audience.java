package dev.tutti.blocks.internal.calls;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The members to call, among those in the view when the call is made. */
public sealed interface Audience {

    record All() implements Audience {}

    record AllBut(Set<Member> excluded) implements Audience {}

    record Only(List<Member> chosen) implements Audience {}

    static Audience allBut(Collection<Member> excluded) {
        return new AllBut(Set.copyOf(excluded));
    }

    /** Returns these members, in this order, each once. */
    static Audience only(Collection<Member> chosen) {
        return new Only(List.copyOf(new LinkedHashSet<>(chosen)));
    }

    default boolean isAll() {
        return this instanceof All;
    }

    default List<Member> members(View view) {
        return switch (this) {
            case All() -> view.members();
            case AllBut(Set<Member> excluded) ->
                view.members().stream().filter(member -> !excluded.contains(member)).toList();
            case Only(List<Member> chosen) -> chosen;
        };
    }

    /** Returns the members, beginning with the one after {@code self} in the view and around it; chosen ones in the order in which they were chosen. */
    default List<Member> membersAfter(Member self, View view) {
        if (this instanceof Only(List<Member> chosen)) {
            return chosen;
        }
        List<Member> around = new ArrayList<>(view.members());
        Collections.rotate(around, -(around.indexOf(self) + 1));
        around.retainAll(Set.copyOf(members(view)));
        return around;
    }
}
