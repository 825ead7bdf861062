/** What tries to break the guarantees of tutti: schedules of faults in virtual time, replayable from their seeds. */
module dev.tutti.campaign {
    requires dev.tutti.protocols;
    requires dev.tutti.sim;
    requires info.picocli;
    requires static org.jspecify;

    opens dev.tutti.campaign to
            info.picocli;
}
