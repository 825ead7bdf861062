package dev.tutti.bench.papers;

/** A text whose experiments are repeated. */
public enum Paper {
    REPORT("report", "Abdellatif, Cecchet, Lachaize: JGroups evaluation in J2EE cluster environments, INRIA RR-5336, 2004 (JGroups 2.2)"),
    TOOLKIT("toolkit", "what the developers of JGroups measured of its releases 2.9 to 2.12"),
    NETTY("Netty transport", "the comparison of a Netty transport for JGroups with its blocking TCP, 12 to 45 nodes"),
    MONITORING("monitoring", "messaging for wide-area monitoring (Grid Monitoring Architecture), compared with bare sockets"),
    STUDY("study", "clustering compared with shared nothing: a web application in six configurations"),
    NONE("", "");

    private final String name;
    private final String title;

    Paper(String name, String title) {
        this.name = name;
        this.title = title;
    }

    String title() {
        return title;
    }

    @Override
    public String toString() {
        return name;
    }
}
