package dev.tutti.protocols.node;

import dev.tutti.core.Member;
import dev.tutti.protocols.link.Link;
import org.jspecify.annotations.Nullable;

/** Member on another node, as long as the session with that node lasts. */
final class RemoteMember {

    final Link link;
    final Member member;
    final String group;
    final StackFingerprint fingerprint;

    /** Longest message that it takes. */
    final long messageBytesMax;

    /** Estimate of the memory that it takes here. */
    final int bytes;

    /** This node's end of the group: set once both ends know of each other, which is when packets may flow. */
    @Nullable GroupPort port;

    // Its neighbours among the members of one node, in the order in which they were announced.
    @Nullable RemoteMember before;
    @Nullable RemoteMember after;

    RemoteMember(
            Link link, Member member, String group, StackFingerprint fingerprint, long messageBytesMax, int bytes) {
        this.link = link;
        this.member = member;
        this.group = group;
        this.fingerprint = fingerprint;
        this.messageBytesMax = messageBytesMax;
        this.bytes = bytes;
    }
}
