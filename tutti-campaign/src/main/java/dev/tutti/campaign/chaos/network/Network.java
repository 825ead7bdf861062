package dev.tutti.campaign.chaos.network;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** The network between the processes, which can be made to fail. Processes are numbered from 0. */
public interface Network extends AutoCloseable {

    /** Returns a description for the report. */
    String description();

    /** Returns the faults that it can cause, besides those of the processes themselves. */
    Set<NetworkFault> faults();

    /** Returns the words before the command that starts a process. */
    List<String> prefix(int process);

    /** Returns the settings of the process's node with the address on which it listens and the advertised one. */
    Map<String, String> settings(int process);

    /** Returns the address at which others dial the process; empty if they are told none. */
    String address(int process);

    /** Called when the process is about to be killed. */
    default void onKill(int process) {}

    /** Called when the process is about to be started, for the first time or again. */
    default void onStart(int process) {}

    /**
     * Sets the share of loss from one process to another, from now on.
     *
     * @param losses losses of the paths that change; 1 for a cut, 0 for none
     */
    void lose(Map<Path, Double> losses);

    /** Resets the connections between two. */
    void reset(int one, int other);

    /** Ends the connections between two at {@code one}; {@code other} is not told. */
    void halfOpen(int one, int other);

    /** Lets the process send and receive slowly, or as fast as it can again. */
    void slow(int process, boolean isSlow);

    /** Flips a bit in the next bytes from one to another. */
    void corrupt(int from, int to);

    /** Ends all faults of the network. */
    void heal();

    @Override
    void close();

    /** Direction from one process to another. */
    record Path(int from, int to) {}
}
