package dev.tutti.tomcat;

/** Treatment of requests after an absence, until this node knows what the others have written meanwhile. */
enum AfterAbsence {
    WAIT,
    FAIL
}
