package dev.tutti.jcache.internal;

import dev.tutti.core.Member;
import javax.cache.event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * A change that was made, for listeners.
 *
 * @param author of the command; null if there was none, as a whole state has come
 * @param ticket of the command
 * @param before the entry that was there; null for none
 * @param after the entry that is there; null for none
 */
public record Happening(@Nullable Member author, long ticket, EventType type, @Nullable Stored before, @Nullable Stored after) {}
