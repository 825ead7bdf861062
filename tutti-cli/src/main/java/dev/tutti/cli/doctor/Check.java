package dev.tutti.cli.doctor;

import java.time.Duration;
import java.util.List;

/** A check for one kind of fault, within a deadline of its own. */
interface Check {

    /** Returns the check's name, for people. */
    String name();

    Duration deadline();

    List<Finding> run(DoctorContext context) throws Exception;
}
