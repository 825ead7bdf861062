package dev.tutti.cli.doctor;

/**
 * What a check has found.
 *
 * @param check which one
 * @param text what is, with addresses and values
 * @param advice what to change, a command or a setting where there is one; empty if nothing needs to be done
 */
public record Finding(String check, Level level, String text, String advice) {

    /** How bad it is. */
    public enum Level {
        OK,
        /** Worth knowing; members meet all the same. */
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
