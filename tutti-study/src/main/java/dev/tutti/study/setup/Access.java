package dev.tutti.study.setup;

/** Way in which the application reaches its data. */
public enum Access {
    /** Statements written by hand. */
    JDBC,
    /** An object mapper. */
    HIBERNATE,
    /** No data at all: requests use their session only. */
    NONE
}
