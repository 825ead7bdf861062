package dev.tutti.announce.message;

/** A message of the group of web nodes and balancers. Its sender is the member that it is about. */
public sealed interface AnnounceMessage {

    /**
     * A node as it is now, to all members; replaces what the same sender has announced before.
     *
     * @param sequence counts the announcements of this member from 1
     */
    record Announced(long sequence, Announcement node) implements AnnounceMessage {}

    /**
     * The sender is a balancer, to all members.
     *
     * @param url address of its page, for people
     */
    record Balancing(String url) implements AnnounceMessage {}

    /**
     * A balancer, to a node: it sends requests according to this announcement, and has none in flight that it does not allow.
     *
     * @param sequence number of the announcement
     */
    record Settled(long sequence) implements AnnounceMessage {}

    /**
     * A balancer, to a node: the announcement does not count.
     *
     * @param sequence number of the announcement
     * @param reason what is wrong, and what would be right
     */
    record Refused(long sequence, String reason) implements AnnounceMessage {}

    /**
     * An operator's wish, from a balancer to a node: contexts take no more requests than this state allows.
     *
     * @param path path of the context; {@link #ALL} for all contexts of the node
     */
    record Ordered(String path, ContextState state) implements AnnounceMessage {

        /** Stands for all contexts. */
        public static final String ALL = "*";
    }
}
