package dev.tutti.tomcat;

/** Occasion of a flush: the changes that it looks for, and whether objects that were read may change again. */
enum Moment {
    /** All changes, while requests go on: the objects that they hold are compared again later. */
    DURING,
    /** All changes, as the last request ends. */
    END,
    /** Explicit changes only: an object that a request holds is compared by that request alone. */
    BETWEEN
}
