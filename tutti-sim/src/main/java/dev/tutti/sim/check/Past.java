package dev.tutti.sim.check;

import dev.tutti.core.Member;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Past of all members of a group. */
final class Past {

    private final TreeMap<Member, MemberPast> members = new TreeMap<>();

    /** Returns the past of a member, which is empty if the member is new. */
    MemberPast of(Member member) {
        MemberPast past = members.get(member);
        if (past == null) {
            past = new MemberPast(member, members.size());
            members.put(member, past);
        }
        return past;
    }

    @Nullable MemberPast find(Member member) {
        return members.get(member);
    }
}
