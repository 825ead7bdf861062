package dev.tutti.study.setup;

/** Place of the sessions, and the software that keeps them there. */
public enum Keeping {
    /** The application's own table, read and written in the transaction of each operation. */
    DATABASE(true),
    /** TuttiManager over TCP: a response waits until all nodes have the session's changes. */
    TUTTI(true),
    /** TuttiManager over UDP. */
    TUTTI_UDP(true),
    /** Tomcat's DeltaManager as documented: to all nodes, without waiting for them. */
    DELTA(false),
    /** Tomcat's BackupManager: one copy at another node. */
    BACKUP(false),
    /** Spring Session with its JDBC repository. */
    SPRING(true);

    private final boolean isPromised;

    Keeping(boolean isPromised) {
        this.isPromised = isPromised;
    }

    /** Returns whether an update that a client saw confirmed survives the crash of any one process. */
    public boolean isPromised() {
        return isPromised;
    }

    /**
     * Returns whether nodes start one after the other. A node with DeltaManager that asks another one for its sessions
     * before that has the application waits for a minute.
     */
    public boolean isStartedByTurns() {
        return this == DELTA || this == BACKUP;
    }

    /** Returns whether the nodes are a cluster of tutti, so that they can announce themselves to the balancer. */
    public boolean isOfTutti() {
        return this == TUTTI || this == TUTTI_UDP;
    }

    /** Returns whether the servlet container keeps the sessions in its nodes. */
    public boolean isReplicated() {
        return this != DATABASE && this != SPRING;
    }
}
