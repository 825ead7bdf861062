package dev.tutti.cli.doctor;

/**
 * Finding of a check.
 *
 * @param check name of the check
 * @param text the observation, with addresses and values
 * @param advice what to change, a command or a setting where there is one; empty if nothing needs to be done
 */
public record Finding(String check, Level level, String text, String advice) {

    /** Severity of a finding. */
    public enum Level {
        OK,
        /** Worth knowing; members meet nevertheless. */
        NOTE,
        FAULT
    }

    static Finding ok(String check, String text) {
        return new Finding(check, Level.OK, text, "");
    }

    static Finding note(String check, String text, String advice) {
        return new Finding(check, Level.NOTE, text, advice);
    }

    static Finding fault(String check, String text, String advice) {
        return new Finding(check, Level.FAULT, text, advice);
    }
}
