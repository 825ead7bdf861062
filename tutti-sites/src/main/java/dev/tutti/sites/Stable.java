package dev.tutti.sites;

/** Condition under which a site acknowledges a message to the site that it comes from, which keeps it until then. */
public enum Stable {
    /** All members of the site have it: it survives as long as one of them does. */
    ALL,
    /** More than half of the members of the site have it. */
    MAJORITY,
    /** The master that received it has it: quick, and lost if that one crashes in the next moment. */
    MASTER
}
