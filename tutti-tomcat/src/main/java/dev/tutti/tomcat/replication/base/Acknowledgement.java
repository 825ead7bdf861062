package dev.tutti.tomcat.replication.base;

/** Other members that a request waits for before its response ends. */
public enum Acknowledgement {
    /** Every other member has the changes: no crash loses them, and every member that serves the next request has them. */
    ALL,
    /** One other member has them: the crash of one node loses nothing; another node may lag for a moment. */
    ONE,
    /** None of them: the crash of a node may lose its latest changes. */
    NONE
}
