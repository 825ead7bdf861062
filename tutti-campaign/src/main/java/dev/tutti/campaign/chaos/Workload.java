package dev.tutti.campaign.chaos;

/** What the processes of a run do. */
enum Workload {
    /** They send to each other. */
    MESSAGES(MemberProcess.class),
    /** They use coordination blocks. */
    COORDINATION(CoordinationProcess.class);

    private final Class<?> main;

    Workload(Class<?> main) {
        this.main = main;
    }

    /** The main class of a process. */
    String mainClass() {
        return main.getName();
    }
}
