package dev.tutti.tomcat;

/** What requests do after this node was away, and does not know yet what the others have written meanwhile. */
enum AfterAbsence {
    WAIT,
    FAIL
}
