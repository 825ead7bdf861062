package dev.tutti.blocks.merge;

import dev.tutti.core.Member;
import dev.tutti.core.ViewId;
import java.util.List;

/**
 * One side of a partition when the sides come together again.
 *
 * @param view the view that the side comes from
 * @param members of that view, by rank; some of them may come apart from the others
 * @param state of this side at its end; must not be changed
 */
public record Side<S>(ViewId view, List<Member> members, S state) {

    public Side {
        members = List.copyOf(members);
    }
}
