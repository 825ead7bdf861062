package dev.tutti.sim.check;

import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * Checks a history for violated guarantees, under their usual names (docs/guarantees.md), entry by entry: a violation
 * is known as soon as the entry that causes it has been taken.
 *
 * <p>{@link #violations} holds for every prefix of a run; {@link #violationsAtRest} also checks properties that must
 * hold once all faults are over and everything has had its time.
 *
 * <p>Each {@link GuaranteeChecker} checks one family of guarantees on the common {@link Past}. A stack has only those
 * families that it promises.
 */
public final class PropertyChecker {

    private final Violations violations = new Violations();
    private final Past past = new Past();
    private final List<GuaranteeChecker> checkers = new ArrayList<>();

    public PropertyChecker(Promise promise) {
        checkers.add(new MessageChecker(violations));
        checkers.add(new IncarnationChecker(past, violations));
        checkers.add(new PrimaryChecker(violations));
        checkers.add(new ViewChecker(past, violations));
        checkers.add(new FifoChecker(promise, violations));
        if (promise.isCausal()) {
            checkers.add(new CausalChecker(promise, violations));
        }
        if (promise == Promise.SAFE) {
            checkers.add(new SafeChecker(violations));
        }
        if (promise.isReliable()) {
            checkers.add(new SynchronyChecker(promise, past, violations));
        }
        checkers.add(new ReceiptChecker(past, violations));
        checkers.add(new NotificationChecker(past, violations));
        checkers.add(new ProgressChecker(promise, past, violations));
    }

    /** Returns the violations so far, regardless of later entries; empty if there are none. */
    public static List<Violation> violations(History history) {
        return violations(Promise.RELIABLE, history);
    }

    /** Returns the violations so far, regardless of later entries; empty if there are none. */
    public static List<Violation> violations(Promise promise, History history) {
        return of(promise, history).violations();
    }

    /** Returns {@link #violationsAtRest(Collection)} of a whole history. */
    public static List<Violation> violationsAtRest(History history, Collection<Member> present) {
        return violationsAtRest(Promise.RELIABLE, history, present);
    }

    /** Returns {@link #violationsAtRest(Collection)} of a whole history. */
    public static List<Violation> violationsAtRest(Promise promise, History history, Collection<Member> present) {
        return of(promise, history).violationsAtRest(present);
    }

    private static PropertyChecker of(Promise promise, History history) {
        PropertyChecker checker = new PropertyChecker(promise);
        history.entries().forEach(checker::take);
        return checker;
    }

    /** Returns the violations so far, regardless of later entries; empty if there are none. At most 20 are kept. */
    public List<Violation> violations() {
        return violations.all();
    }

    public boolean isBroken() {
        return !violations.isEmpty();
    }

    /**
     * Returns the violations, including messages missing at {@code present} although the system is at rest.
     *
     * @param present the members that are up and can hear each other
     */
    public List<Violation> violationsAtRest(Collection<Member> present) {
        int before = violations.count();
        TreeSet<Member> members = new TreeSet<>(present);
        for (GuaranteeChecker checker : checkers) {
            checker.checkRest(members);
        }
        List<Violation> found = violations.all();
        // Messages that are missing now may still come.
        violations.keepFirst(before);
        return found;
    }

    /** Takes the next entry. */
    public void take(History.Entry entry) {
        MemberPast member = past.of(entry.member());
        for (GuaranteeChecker checker : checkers) {
            checker.onEntry(member, entry);
        }
        switch (entry) {
            case History.Submitted(Member sender, History.Message message) -> {
                for (GuaranteeChecker checker : checkers) {
                    checker.onSubmitted(member, message);
                }
                member.submit(message);
            }
            case History.Delivered(Member receiver, History.Message message) -> {
                MemberPast sender = past.of(message.sender());
                for (GuaranteeChecker checker : checkers) {
                    checker.onDelivered(member, sender, message);
                }
                member.deliver(sender, message);
            }
            case History.Viewed(Member viewer, View view) -> {
                Stay before = member.stay();
                Stay stay = member.install(view);
                for (GuaranteeChecker checker : checkers) {
                    checker.onView(member, before, stay);
                }
            }
            case History.Transition _ -> {
                Stay stay = member.stay();
                if (stay != null) {
                    stay.beginTransition();
                }
            }
            case History.Left _, History.Crashed _ -> member.end();
            case History.Asked _, History.Told _, History.Joined _, History.Suspended _ -> {
                // Only the families that check them keep them.
            }
        }
    }
}
