package dev.tutti.core.admission;

/**
 * Decides whether a node may come in. Both ends of a connection ask their rules about each other before they exchange anything
 * of a group.
 *
 * <p>A node calls its rules on threads that may block, several at a time, for {@code admission.timeout} at most; a thread that
 * takes longer is interrupted. A node whose rule is late, throws an exception or an error, or returns null is refused. The rules
 * are asked for each new connection, also for one that resumes a session, so they should be quick.
 *
 * <p>A rule must not call the node that asks it.
 */
@FunctionalInterface
public interface AdmissionRule {

    /**
     * Decides about one node.
     *
     * @throws Exception if no decision is possible; the node is refused
     */
    Verdict check(Newcomer newcomer) throws Exception;

    /** Returns a rule that admits a node which this rule and {@code other} admit. */
    default AdmissionRule and(AdmissionRule other) {
        return newcomer -> {
            Verdict first = check(newcomer);
            return first.isAdmitted() ? other.check(newcomer) : first;
        };
    }

    /** Returns a rule that admits a node which this rule or {@code other} admits. */
    default AdmissionRule or(AdmissionRule other) {
        return newcomer -> {
            Verdict first = check(newcomer);
            if (first.isAdmitted()) {
                return first;
            }
            Verdict second = other.check(newcomer);
            return second.isAdmitted() ? second : Verdict.refused(first.reason() + ", and " + second.reason());
        };
    }

    /** Returns a rule that admits a node which this rule refuses. */
    default AdmissionRule negate() {
        return newcomer -> check(newcomer).isAdmitted() ? Verdict.refused("a negated rule admits it") : Verdict.admitted();
    }
}
