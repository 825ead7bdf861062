package dev.tutti.tomcat;

/** Attributes that are compared with the values of the other nodes at the end of a request. */
public enum SaveMode {
    /** Those that were set: objects that are changed in place have to be set again. */
    ON_SET,
    /** Those that were set, and those that were read and can be changed in place. */
    ON_GET,
    /** All that are in use at this node. */
    ALWAYS
}
