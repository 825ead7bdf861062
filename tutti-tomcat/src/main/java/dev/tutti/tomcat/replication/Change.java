package dev.tutti.tomcat.replication;

import org.jspecify.annotations.Nullable;

/**
 * A new value of a field.
 *
 * @param content the value, encoded; null if the field is removed. Not to be changed
 * @param isListening whether the value wants to hear of being bound, unbound, passivated or activated
 */
public record Change(Field field, byte @Nullable [] content, boolean isListening) {

    public static Change removal(Field field) {
        return new Change(field, null, false);
    }
}
