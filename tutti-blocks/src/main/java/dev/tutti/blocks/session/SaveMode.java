package dev.tutti.blocks.session;

/** Attributes that a request may have changed, and that are compared or written when it ends. */
public enum SaveMode {
    /** Those that it has set or removed, and those that it has got and whose encoded form has changed. */
    ON_GET,
    /** Those that it has set or removed. Quicker; an object that is modified has to be set again. */
    ON_SET
}
