package dev.tutti.study.setup;

import java.util.Locale;

/** Operation of the application. Each but {@link #READ} changes the session, too. */
public enum Operation {
    CREATE_USER,
    DELETE_USER,
    CREATE_PROJECT,
    UPLOAD,
    /** Changes the session and nothing else. */
    CHANGE,
    /** Reads the session. */
    READ;

    /** Returns the name in addresses and reports. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Parses a name.
     *
     * @throws IllegalArgumentException if there is no such operation
     */
    public static Operation parse(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
