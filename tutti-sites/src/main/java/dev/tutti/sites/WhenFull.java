package dev.tutti.sites;

/** Consequence of a full {@linkplain SiteGroupBuilder#retain log of retained messages}. */
public enum WhenFull {
    /** Senders wait until a site has acknowledged messages, at most {@link SiteGroupBuilder#timeout}. */
    WAIT,
    /** The oldest messages are dropped. The sites that lack them are told of the {@link Gap} when they are back. */
    DROP_OLDEST
}
