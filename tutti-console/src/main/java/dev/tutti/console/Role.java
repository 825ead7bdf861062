package dev.tutti.console;

import java.util.Locale;

/** Permissions of a person or program that is logged in to the console. A later role includes all earlier ones. */
public enum Role {
    /** Sees what the console shows, and changes nothing. */
    READER,
    /** May also act on members that permit it. */
    OPERATOR;

    /** Returns whether this role permits all that {@code other} does. */
    public boolean includes(Role other) {
        return compareTo(other) >= 0;
    }

    /** Returns the role with fewer permissions. */
    public static Role lesser(Role one, Role other) {
        return one.includes(other) ? other : one;
    }

    /** Returns the role as files and documents write it: {@code reader}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the role that a text names.
     *
     * @throws IllegalArgumentException if there is no such role
     */
    public static Role parse(String text) {
        for (Role role : values()) {
            if (role.text().equals(text)) {
                return role;
            }
        }
        throw new IllegalArgumentException("a role is reader or operator, not '" + text + "'");
    }
}
