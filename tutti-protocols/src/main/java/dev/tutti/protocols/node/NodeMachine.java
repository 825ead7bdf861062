package dev.tutti.protocols.node;

import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.driver.Machine;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Application;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.packing.Submissions;

/** A node: links to other nodes, discovery, detection, and the groups that share them. */
public final class NodeMachine implements Machine {

    /**
     * @param settings with {@link NodeSettings}
     * @param seed of all randomness
     */
    public NodeMachine(NodeId self, Settings settings, long seed, Memory memory) {}

    @Override
    public void onStart(long nowNanos) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int onAccepted(long nowNanos, String remote) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void onConnected(long nowNanos, int connection) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void onDialFailed(long nowNanos, int connection, DialFailure failure, String detail) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void onFrame(long nowNanos, int connection, Packet frame) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void onDisconnected(long nowNanos, int connection, boolean isOrderly, String detail) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void onTimer(long nowNanos) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long nextDeadline() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void drain(Effects effects) {
        throw new UnsupportedOperationException();
    }

    /**
     * Joins a group; the first view, of itself alone, follows at the end of the turn.
     *
     * @param settings with {@link GroupSettings}
     * @return the member that this node is in the group from now on
     * @throws IllegalStateException if the group is joined already
     */
    public Member join(
            long nowNanos, String group, Settings settings, Application application, Submissions submissions) {
        throw new UnsupportedOperationException();
    }

    /** Something was submitted to the group since the last look. */
    public void onSubmitted(long nowNanos, Member self) {
        throw new UnsupportedOperationException();
    }

    /** The application has consumed a packet that was delivered to it; the packet passes back. */
    public void onConsumed(long nowNanos, Member self, Packet packet) {
        throw new UnsupportedOperationException();
    }

    /** Finishes what was accepted, says goodbye, and calls {@link Application#onLeft}. */
    public void leave(long nowNanos, Member self) {
        throw new UnsupportedOperationException();
    }

    /** Says goodbye to all nodes; the driver may be closed after the next drain. */
    public void stop(long nowNanos) {
        throw new UnsupportedOperationException();
    }

    public void report(Report report) {
        throw new UnsupportedOperationException();
    }
}
