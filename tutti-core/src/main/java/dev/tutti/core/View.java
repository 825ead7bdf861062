package dev.tutti.core;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Numbered, ordered list of members, the same at all members that install it.
 *
 * @param id ballot that made it
 * @param members by rank, the oldest first
 * @param parts the members by the view they came from; a merge has more than one part with more than one member
 * @param primary its place among the primary views; null if it is none, and in groups that have none
 * @param former the view that this member had before, itself without a former one; null in a member's first view. All
 *     other components are the same at all members
 */
public record View(
        ViewId id, List<Member> members, List<Part> parts, @Nullable Primary primary, @Nullable View former) {

    /**
     * Place of a view in the chain of primary views, of which each was decided by a majority of the previous one.
     *
     * @param epoch counts primary views from 1, without gap
     * @param previous previous primary view
     * @param voters by rank, the number of each member's record; a majority of them decides on the next view
     * @param electors numbers of the members that voted on this view and are not in it, because they leave
     */
    public record Primary(long epoch, ViewId previous, List<Long> voters, List<Long> electors) {
        public Primary {
            voters = List.copyOf(voters);
            electors = List.copyOf(electors);
        }
    }

    /**
     * Members that come together from one view, with the packets delivered in it.
     *
     * @param previous the view they come from
     * @param members those that are in the new view together: the transitional set of each of them
     * @param cut per sender of {@code previous}, the number of its last packet that all of {@code members} deliver in it
     */
    public record Part(ViewId previous, List<Member> members, TreeMap<Member, Long> cut) {
        public Part {
            members = List.copyOf(members);
        }

        public long cutOf(Member sender) {
            return cut.getOrDefault(sender, 0L);
        }

        /** Returns whether this is a single member from its first view, which has never been with another one. */
        public boolean isNewcomer() {
            return members.size() == 1 && previous.equals(aloneId(members.getFirst()));
        }
    }

    public View {
        members = List.copyOf(members);
        parts = List.copyOf(parts);
        if (members.isEmpty()) {
            throw new IllegalArgumentException("view " + id + " has no members");
        }
        if (primary != null && primary.voters().size() != members.size()) {
            throw new IllegalArgumentException(
                    "primary view " + id + " has " + members.size() + " members and " + primary.voters().size() + " voters");
        }
    }

    /** Creates a view that is no primary one. */
    public View(ViewId id, List<Member> members, List<Part> parts) {
        this(id, members, parts, null, null);
    }

    public View(ViewId id, List<Member> members, List<Part> parts, @Nullable Primary primary) {
        this(id, members, parts, primary, null);
    }

    /** Returns the same view at a member that had {@code view} before. */
    public View after(View view) {
        return new View(id, members, parts, primary, view.former == null ? view : new View(view.id, view.members, view.parts, view.primary));
    }

    /** Returns the members that were not in the former view; all members if there is none. */
    public List<Member> joined() {
        View before = former;
        return before == null ? members : members.stream().filter(member -> !before.contains(member)).toList();
    }

    /** Returns the members of the former view that are not in this one; none if there is no former view. */
    public List<Member> left() {
        View before = former;
        return before == null ? List.of() : before.members.stream().filter(member -> !contains(member)).toList();
    }

    /**
     * Returns the members that come to this view from another part of the group, after a partition; none if this member is new, and nobody who is. This
     * member has not delivered the messages of their part.
     */
    public List<Member> rejoined() {
        View before = former;
        if (before == null || parts.stream().anyMatch(part -> part.previous().equals(before.id) && part.isNewcomer())) {
            return List.of();
        }
        return parts.stream()
                .filter(part -> !part.previous().equals(before.id) && !part.isNewcomer())
                .flatMap(part -> part.members().stream())
                .toList();
    }

    /** Returns the view in which a member starts: of itself alone. */
    public static View alone(Member self) {
        return new View(aloneId(self), List.of(self), List.of());
    }

    /** Returns the id of the view in which {@code member} starts. */
    static ViewId aloneId(Member member) {
        return new ViewId(1, 1, member);
    }

    /** Returns whether it is in the one chain of primary views of a group with {@code partition: primary}. */
    public boolean isPrimary() {
        return primary != null;
    }

    /**
     * Returns the number of a primary view; 0 if the view is not primary. Of two primary views of a group the later one
     * has the higher epoch, wherever installed and even after restarts, so that it can be used as a fencing token.
     */
    public long epoch() {
        return primary == null ? 0 : primary.epoch();
    }

    /** Returns the oldest member. */
    public Member coordinator() {
        return members.getFirst();
    }

    public boolean contains(Member member) {
        return members.contains(member);
    }

    public int size() {
        return members.size();
    }

    /** Returns the members that came to this view with {@code member}, including it; only itself in its first view. */
    public Set<Member> transitionalSet(Member member) {
        for (Part part : parts) {
            if (part.members().contains(member)) {
                return new TreeSet<>(part.members());
            }
        }
        return new TreeSet<>(List.of(member));
    }

    /** Returns the members that come from their first view, of themselves alone. */
    public Set<Member> newcomers() {
        Set<Member> newcomers = new TreeSet<>();
        for (Part part : parts) {
            if (part.isNewcomer()) {
                newcomers.add(part.members().getFirst());
            }
        }
        return newcomers;
    }

    /** Returns whether members of at least two earlier views of two or more members came together in this one. */
    public boolean isMerge() {
        int large = 0;
        for (Part part : parts) {
            if (part.members().size() > 1) {
                large++;
            }
        }
        return large > 1;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof View view && view.id.equals(id);
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(id);
    }

    @Override
    public String toString() {
        return id + " " + members;
    }
}
