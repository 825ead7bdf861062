package dev.tutti.tomcat.replication.base;

import dev.tutti.core.Member;
import dev.tutti.tomcat.replication.session.SessionVersion;
import org.jspecify.annotations.Nullable;

/** This member of the group, which is known from its first view on. Set on the group's thread, read from any. */
public final class LocalMember {

    private volatile @Nullable Member member;
    private volatile long origin = 1;

    public void onView(Member self) {
        if (member == null) {
            member = self;
            origin = SessionVersion.originOf(self);
        }
    }

    /** Returns this member; null before the first view. */
    public @Nullable Member member() {
        return member;
    }

    public boolean is(Member other) {
        return other.equals(member);
    }

    /** Returns the number that stands for this member in versions. */
    public long origin() {
        return origin;
    }
}
