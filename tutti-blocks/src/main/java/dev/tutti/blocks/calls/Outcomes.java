package dev.tutti.blocks.calls;

import dev.tutti.core.Member;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What became of a call to several members, one by one. Unmodifiable. */
public final class Outcomes<A extends @Nullable Object> {

    private final Map<Member, Outcome<A>> byMember;
    private final boolean isSatisfied;

    Outcomes(Map<Member, Outcome<A>> byMember, boolean isSatisfied) {
        this.byMember = Collections.unmodifiableMap(new LinkedHashMap<>(byMember));
        this.isSatisfied = isSatisfied;
    }

    /** Whether as many members have answered with a value as the call was to wait for. */
    public boolean isSatisfied() {
        return isSatisfied;
    }

    /** The outcome at each member that was called, in the order of the view or of the call. */
    public Map<Member, Outcome<A>> byMember() {
        return byMember;
    }

    /** @throws IllegalArgumentException if the call was not to {@code member} */
    public Outcome<A> of(Member member) {
        Outcome<A> outcome = byMember.get(member);
        if (outcome == null) {
            throw new IllegalArgumentException(member + " was not called; these were: " + byMember.keySet());
        }
        return outcome;
    }

    /** The values there are, in the order of {@link #byMember}. */
    public List<A> values() {
        List<A> values = new ArrayList<>();
        for (Outcome<A> outcome : byMember.values()) {
            if (outcome instanceof Outcome.Value<A>(A value)) {
                values.add(value);
            }
        }
        return Collections.unmodifiableList(values);
    }

    /** The first value in the order of {@link #byMember}. @throws CallException if there is none */
    public A value() {
        for (Outcome<A> outcome : byMember.values()) {
            if (outcome instanceof Outcome.Value<A>(A value)) {
                return value;
            }
        }
        throw new CallException(CallException.Reason.NO_VALUE, "nobody has answered with a value: " + this);
    }

    @Override
    public String toString() {
        return (isSatisfied ? "satisfied " : "not satisfied ") + byMember;
    }
}
