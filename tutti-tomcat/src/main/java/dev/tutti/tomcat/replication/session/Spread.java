package dev.tutti.tomcat.replication.session;

import dev.tutti.core.Member;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a session is besides this member, if only some members hold it.
 *
 * @param others members that have a copy or are about to get one, as far as this one knows
 * @param home the member that knows of the copy here, and has all others told of this member; null if that is not
 *     known, so that the copy here may be older than others
 */
public record Spread(Set<Member> others, @Nullable Member home) {

    public static final Spread NONE = new Spread(Set.of(), null);

    public Spread {
        others = Set.copyOf(others);
    }
}
