package dev.tutti.core.admission;

import java.util.Objects;

/**
 * Answer of an {@link AdmissionRule}.
 *
 * @param isAdmitted whether the node may come in
 * @param reason reason of a refusal, for the log of the node that refuses; the other node never sees it. Empty if the node may
 *     come in
 */
public record Verdict(boolean isAdmitted, String reason) {

    private static final Verdict ADMITTED = new Verdict(true, "");

    public Verdict {
        Objects.requireNonNull(reason, "reason");
    }

    public static Verdict admitted() {
        return ADMITTED;
    }

    public static Verdict refused(String reason) {
        return new Verdict(false, reason);
    }
}
