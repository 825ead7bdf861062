package dev.tutti.tomcat.replication.base;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.tomcat.replication.session.SessionVersion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Members of a view as this one sees them; replaced with each view.
 *
 * @param others all members but this one
 * @param origins members by the number that stands for them in versions
 * @param leadsPart whether this member is the oldest of those that came with it from one view
 */
public record Peers(List<Member> members, Set<Member> others, Map<Long, Member> origins, boolean leadsPart) {

    public static final Peers NONE = new Peers(List.of(), Set.of(), Map.of(), true);

    public static Peers of(View view, Member self) {
        Set<Member> others = new HashSet<>(view.members());
        others.remove(self);
        Map<Long, Member> origins = new HashMap<>();
        for (Member member : view.members()) {
            origins.put(SessionVersion.originOf(member), member);
        }
        List<Member> together = new ArrayList<>(view.members());
        together.retainAll(view.transitionalSet(self));
        return new Peers(view.members(), others, origins, together.getFirst().equals(self));
    }

    /** Returns the other members of this view that are not in {@code next}. */
    public List<Member> missingIn(Peers next) {
        return others.stream().filter(member -> !next.others().contains(member)).toList();
    }
}
