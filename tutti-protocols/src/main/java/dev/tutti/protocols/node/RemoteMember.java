package dev.tutti.protocols.node;

import dev.tutti.core.Member;
import dev.tutti.protocols.link.Link;
import org.jspecify.annotations.Nullable;

/** Member on another node, as long as the session with that node lasts. */
final class RemoteMember {

    final Link link;
    final Member member;
    final GroupAnnouncement announced;

    /** Estimate of the memory that it takes here. */
    final int bytes;

    /** Its settings fit those of this node's member of the group, if there is one. */
    boolean isCompatible;

    /** This node's end of the group: set once both ends know of each other, which is when packets may flow. */
    @Nullable GroupPort port;

    // Its neighbours among the members of one node, in the order in which they were announced.
    @Nullable RemoteMember before;
    @Nullable RemoteMember after;

    RemoteMember(Link link, Member member, GroupAnnouncement announced, int bytes) {
        this.link = link;
        this.member = member;
        this.announced = announced;
        this.bytes = bytes;
    }

    String group() {
        return announced.group();
    }
}
