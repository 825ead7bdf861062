package dev.tutti.cli.doctor;

import java.time.Duration;
import java.util.List;

/** One thing that is looked at, within a time of its own. */
interface Check {

    /** For people: what is looked at. */
    String name();

    Duration deadline();

    List<Finding> run(Patient patient) throws Exception;
}
