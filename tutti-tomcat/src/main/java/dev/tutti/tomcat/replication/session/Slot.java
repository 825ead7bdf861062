package dev.tutti.tomcat.replication.session;

import org.jspecify.annotations.Nullable;

/**
 * Value of a field with its version. A removed field keeps a slot without content, so that an older value that arrives
 * later does not bring it back.
 *
 * @param content encoded value, which must not be changed; null if the field is removed
 * @param isListening as in {@link Change}
 * @param basis version of the value that the writer replaced; this slot's version where that is not known
 */
public record Slot(SessionVersion version, byte @Nullable [] content, boolean isListening, SessionVersion basis) {

    /** Creates the slot of a value that arrived without its basis. */
    public Slot(SessionVersion version, byte @Nullable [] content, boolean isListening) {
        this(version, content, isListening, version);
    }

    /** Returns whether the other slot is the same value, and only that one has its basis. */
    boolean isWithoutBasisOf(Slot other) {
        return version.equals(other.version) && basis.equals(version) && !other.basis.equals(version);
    }

    public boolean isRemoved() {
        return content == null;
    }
}
