package dev.tutti.tomcat;

/** Which changes of a session are looked for, and whether objects that were read may change again. */
enum Moment {
    /** All changes; requests go on, and what they hold is compared again. */
    DURING,
    /** All changes; the last request ends. */
    END,
    /** Explicit changes only: nobody compares an object that a request holds but the request itself. */
    BETWEEN
}
