package dev.tutti.campaign;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.settings.Settings;
import dev.tutti.protocols.mistake.Mistake;
import dev.tutti.protocols.node.NodeEvents;
import dev.tutti.protocols.node.NodeMachine;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * A node with a deliberate bug, which schedules have to find: what is never found is not looked for.
 *
 * @param name for the command line
 * @param bug what is wrong, in a sentence
 * @param properties what it has to break, as it is about that; empty if that may be anything
 * @param maker of the nodes that have it
 */
record Mutant(String name, String bug, List<String> properties, Maker maker) {

    /** Makes the machine of a node. */
    @FunctionalInterface
    interface Maker {
        NodeMachine make(NodeId self, Settings settings, long seed, Memory memory, NodeEvents events);
    }

    /** No bug that is known. */
    static final Mutant NONE = new Mutant("none", "none that is known", List.of(), NodeMachine::new);

    /** Whether that is the failure that it has to lead to. */
    boolean isShownBy(Trial.Outcome outcome) {
        return outcome.isFailed() && (properties.isEmpty() || properties.contains(outcome.property()));
    }

    /** All there are: one for each mistake that the protocols can be given. */
    static List<Mutant> all() {
        return Arrays.stream(Mistake.values())
                .filter(mistake -> mistake != Mistake.NONE)
                .map(Mutant::of)
                .toList();
    }

    /** Whether it is about the order of primary views. */
    boolean isOfPrimary() {
        return OF_PRIMARY.contains(name);
    }

    private static final Set<String> OF_PRIMARY = Set.of(
            Mistake.IGNORE_ACCEPTED.toString(),
            Mistake.NO_ACCEPT.toString(),
            Mistake.FORGETFUL.toString(),
            Mistake.MAJORITY_OF_ANY.toString());

    private static Mutant of(Mistake mistake) {
        return new Mutant(
                mistake.toString(),
                mistake.description(),
                mistake.properties(),
                (self, settings, seed, memory, events) -> new NodeMachine(self, settings, seed, memory, events, mistake));
    }
}
