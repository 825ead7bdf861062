package dev.tutti.tomcat.replication.session;

import org.jspecify.annotations.Nullable;

/**
 * A new value of a field.
 *
 * @param content the encoded value, which must not be changed; null if the field is removed
 * @param isListening whether the value is a listener for being bound, unbound, passivated or activated
 */
public record Change(Field field, byte @Nullable [] content, boolean isListening) {

    public static Change removal(Field field) {
        return new Change(field, null, false);
    }
}
