package dev.tutti.blocks.calls;

import dev.tutti.core.Member;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Outcomes of a call to several members, by member. Unmodifiable. */
public final class Outcomes<A extends @Nullable Object> {

    private final List<Member> members;
    private final List<Outcome<A>> outcomes;
    private final boolean isSatisfied;

    /** Creates outcomes, one for each member, in this order. */
    Outcomes(List<Member> members, List<Outcome<A>> outcomes, boolean isSatisfied) {
        this.members = members;
        this.outcomes = outcomes;
        this.isSatisfied = isSatisfied;
    }

    Outcomes<A> with(boolean isSatisfiedNow) {
        return isSatisfiedNow == isSatisfied ? this : new Outcomes<>(members, outcomes, isSatisfiedNow);
    }

    /** Returns whether as many members have answered with a value as the call was to wait for, or the condition of the call holds. */
    public boolean isSatisfied() {
        return isSatisfied;
    }

    /** Returns the outcome at each called member, in the order of the view or of the call. */
    public Map<Member, Outcome<A>> byMember() {
        Map<Member, Outcome<A>> byMember = new LinkedHashMap<>();
        for (int index = 0; index < members.size(); index++) {
            byMember.put(members.get(index), outcomes.get(index));
        }
        return Collections.unmodifiableMap(byMember);
    }

    /** @throws IllegalArgumentException if the call was not to {@code member} */
    public Outcome<A> of(Member member) {
        int index = members.indexOf(member);
        if (index < 0) {
            throw new IllegalArgumentException(member + " was not called; these were: " + members);
        }
        return outcomes.get(index);
    }

    /** Returns the values, in the order of {@link #byMember}. */
    public List<A> values() {
        List<A> values = new ArrayList<>(outcomes.size());
        for (Outcome<A> outcome : outcomes) {
            if (outcome instanceof Outcome.Value<A>(A value)) {
                values.add(value);
            }
        }
        return Collections.unmodifiableList(values);
    }

    /**
     * Returns the first value in the order of {@link #byMember}.
     *
     * @throws CallException if there is none
     */
    public A value() {
        for (Outcome<A> outcome : outcomes) {
            if (outcome instanceof Outcome.Value<A>(A value)) {
                return value;
            }
        }
        throw new CallException(CallException.Reason.NO_VALUE, "nobody has answered with a value: " + this);
    }

    @Override
    public String toString() {
        return (isSatisfied ? "satisfied " : "not satisfied ") + byMember();
    }
}
