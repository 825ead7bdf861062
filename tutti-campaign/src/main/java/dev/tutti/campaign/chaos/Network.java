package dev.tutti.campaign.chaos;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** What lies between the processes, and can be made to fail. Processes are numbered from 0. */
interface Network extends AutoCloseable {

    /** For the report: what it is. */
    String description();

    /** What it can do beside what is done to the processes themselves. */
    Set<Fault> faults();

    /** Words to put before the command that starts a process. */
    List<String> prefix(int process);

    /** Settings of the process's node that say where it listens and how it is reached. */
    Map<String, String> settings(int process);

    /** Where others dial the process. */
    String address(int process);

    /** The process is about to be killed. */
    default void onKill(int process) {}

    /** The process is about to be started, for the first time or again. */
    default void onStart(int process) {}

    /**
     * Sets how much of what one sends to another is lost from now on.
     *
     * @param losses of the paths that change; 1 for a cut, 0 for none
     */
    void lose(Map<Path, Double> losses);

    /** Resets the connections between two. */
    void reset(int one, int other);

    /** Ends the connections between two at {@code one}; {@code other} is not told. */
    void halfOpen(int one, int other);

    /** Lets the process send and receive slowly, or as fast as it can again. */
    void slow(int process, boolean isSlow);

    /** Sets a bit wrong in the next bytes from one to another. */
    void corrupt(int from, int to);

    /** Everything gets through again. */
    void heal();

    @Override
    void close();

    /** From one process to another. */
    record Path(int from, int to) {}
}
