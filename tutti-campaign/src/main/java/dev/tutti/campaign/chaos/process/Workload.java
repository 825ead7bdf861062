package dev.tutti.campaign.chaos.process;

/** Work of the processes of a run. */
public enum Workload {
    /** They send to each other. */
    MESSAGES(MemberProcess.class),
    /** They use coordination blocks. */
    COORDINATION(CoordinationProcess.class);

    private final Class<?> main;

    Workload(Class<?> main) {
        this.main = main;
    }

    /** Returns the main class of a process. */
    String mainClass() {
        return main.getName();
    }
}
