package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Small numbers for members, so that bit sets represent which of thousands hear each other. */
final class MemberIndex {

    private final Map<Member, Integer> numbers = new HashMap<>();
    private final List<Member> members = new ArrayList<>();

    int number(Member member) {
        Integer number = numbers.get(member);
        if (number == null) {
            number = numbers.size();
            numbers.put(member, number);
            members.add(member);
        }
        return number;
    }

    void addAll(Collection<Member> members) {
        members.forEach(this::number);
    }

    /** Returns the member that has the number. */
    Member member(int number) {
        return members.get(number);
    }

    int size() {
        return numbers.size();
    }
}
