package dev.tutti.tomcat.replication;

import org.jspecify.annotations.Nullable;

/**
 * A field's value with its version. A removed field keeps a slot without content, so that an older value that comes
 * later does not bring it back.
 *
 * @param content encoded, not to be changed; null if the field is removed
 * @param isListening as in {@link Change}
 * @param basis version of the value that the writer replaced; the own version where that is not known
 */
public record Slot(Version version, byte @Nullable [] content, boolean isListening, Version basis) {

    /** A value that came without its basis. */
    Slot(Version version, byte @Nullable [] content, boolean isListening) {
        this(version, content, isListening, version);
    }

    public boolean isRemoved() {
        return content == null;
    }
}
