package dev.tutti.campaign.cluster;

import dev.tutti.core.settings.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * One thing that a schedule does to a cluster. {@link #toString} is a sentence, which a schedule can be read from.
 *
 * <p>An action that does not fit the state of the cluster does nothing, so that a schedule stays valid when other
 * actions are removed from it.
 */
public interface Action {

    /** Returns the kind of fault that it belongs to. */
    ScheduledFault fault();

    /** Returns the numbers of the nodes that it names. */
    default TreeSet<Integer> nodes() {
        return setOf();
    }

    /**
     * Performs it.
     *
     * @return whether there was anything to do
     */
    default boolean strike(SimulatedCluster cluster) {
        return false;
    }

    /** An action on one node. */
    interface OfNode extends Action {
        int node();

        @Override
        default TreeSet<Integer> nodes() {
            return setOf(node());
        }
    }

    /** An action between two nodes. */
    interface OfTwo extends Action {
        int node();

        int other();

        @Override
        default TreeSet<Integer> nodes() {
            return setOf(node(), other());
        }
    }

    /** An action between all nodes of one side and all nodes of another. */
    interface OfSides extends Action {
        TreeSet<Integer> side();

        TreeSet<Integer> other();

        @Override
        default TreeSet<Integer> nodes() {
            TreeSet<Integer> nodes = new TreeSet<>(side());
            nodes.addAll(other());
            return nodes;
        }
    }

    /** A fault of the node that coordinates at the time. */
    record Coordinator(Fate fate) implements Action {
        /** Fate of the coordinator; {@code GIVEN_UP} closes its sessions with all others, at both ends. */
        public enum Fate {
            KILLED,
            CUT_OFF,
            GIVEN_UP
        }

        @Override
        public ScheduledFault fault() {
            return ScheduledFault.COORDINATOR;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            int number = cluster.coordinator();
            return number > 0 && switch (fate) {
                case KILLED -> new NodeActions.Kill(number).strike(cluster);
                case CUT_OFF -> cluster.partition(number) == cluster;
                case GIVEN_UP -> new NetworkActions.Part(setOf(number), cluster.othersThan(number)).strike(cluster);
            };
        }

        @Override
        public String toString() {
            return "the coordinator is " + fate.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /**
     * An action that is performed when a message of a view change arrives.
     *
     * @param receiver number of the node at which it arrives; 0 for any
     * @param count number of the arrival that triggers the action, from 1
     * @param later time from the arrival to the action
     * @param then the action
     */
    record Await(MessageTrigger.Message message, int receiver, int count, Duration later, Action then) implements Action {
        @Override
        public ScheduledFault fault() {
            return ScheduledFault.AMBUSH;
        }

        @Override
        public TreeSet<Integer> nodes() {
            TreeSet<Integer> nodes = then.nodes();
            if (receiver > 0) {
                nodes.add(receiver);
            }
            return nodes;
        }

        @Override
        public boolean strike(SimulatedCluster cluster) {
            cluster.trigger().add(this);
            return false;
        }

        @Override
        public String toString() {
            return "when " + message + " " + count + " arrives" + (receiver > 0 ? " at n" + receiver : "") + ", "
                    + (later.isZero() ? "" : Durations.print(later) + " later ") + then;
        }
    }

    /** A promise to check; not a fault. */
    interface Promise extends Action {
        @Override
        default ScheduledFault fault() {
            return ScheduledFault.WORK;
        }
    }

    /** An action on the sender or the receiver of the message that an {@link Await} has waited for. */
    interface OfEnds extends Action {
        /** Returns the action for this sender and this receiver. */
        Action of(int sender, int receiver);
    }

    static String names(TreeSet<Integer> numbers) {
        return numbers.stream().map(number -> "n" + number).collect(Collectors.joining(" "));
    }

    static TreeSet<Integer> setOf(Integer... numbers) {
        return new TreeSet<>(List.of(numbers));
    }
}
