package dev.tutti.protocols.membership;

import dev.tutti.core.Member;
import dev.tutti.core.ViewId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Members of views, as far as they are known. A member follows another one only into a view that can include it [D12]. */
final class ViewLists {

    /** Number of lists that are remembered. */
    private static final int LISTS_MAX = 4_096;

    /** Number of members in all those lists together; the latest list is kept, however long. */
    private static final int LISTED_MAX = 1 << 16;

    /** Members of a view, and which of them was found to be without a session. */
    private static final class Listing {
        final List<Member> members;
        final boolean hasSelf;
        @Nullable Member missing;

        Listing(List<Member> members, Member self) {
            this.members = members;
            this.hasSelf = members.contains(self);
        }
    }

    private final Member self;
    private final LinkedHashMap<ViewId, Listing> listings = new LinkedHashMap<>();
    private int listed;

    ViewLists(Member self) {
        this.self = self;
    }

    void put(ViewId id, List<Member> members) {
        Listing before = listings.putLast(id, new Listing(members, self));
        listed += members.size() - (before == null ? 0 : before.members.size());
        while (listings.size() > LISTS_MAX || listings.size() > 1 && listed > LISTED_MAX) {
            listed -= listings.pollFirstEntry().getValue().members.size();
        }
    }

    boolean contains(ViewId id) {
        return listings.containsKey(id);
    }

    /**
     * Returns whether a view can include this member: it is in the view, or has a session with all its members.
     *
     * @param open members with a session
     */
    boolean canInclude(ViewId id, Set<Member> open) {
        Listing listing = listings.get(id);
        if (listing == null) {
            // The list is asked for. Following meanwhile could expel members that this one does not hear.
            return false;
        }
        if (listing.hasSelf) {
            return true;
        }
        Member missing = listing.missing;
        if (missing != null && !open.contains(missing)) {
            return false;
        }
        for (Member other : listing.members) {
            if (!open.contains(other)) {
                listing.missing = other;
                return false;
            }
        }
        return true;
    }
}
