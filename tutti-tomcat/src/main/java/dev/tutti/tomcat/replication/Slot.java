package dev.tutti.tomcat.replication;

import org.jspecify.annotations.Nullable;

/**
 * A field's value with its version. A removed field keeps a slot without content, so that an older value that comes
 * later does not bring it back.
 *
 * @param content encoded, not to be changed; null if the field is removed
 * @param isListening as in {@link Change}
 */
public record Slot(Version version, byte @Nullable [] content, boolean isListening) {

    public boolean isRemoved() {
        return content == null;
    }
}
