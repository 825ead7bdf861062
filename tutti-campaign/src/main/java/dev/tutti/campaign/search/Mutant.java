package dev.tutti.campaign.search;

import dev.tutti.campaign.cluster.NodeMaker;
import dev.tutti.protocols.mistake.Mistake;
import dev.tutti.protocols.node.NodeMachine;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * A node with a deliberate bug that schedules have to find. A bug that is never found shows a gap in the search.
 *
 * @param name for the command line
 * @param bug description of the bug, in a sentence
 * @param properties properties of which the bug has to break one; empty if it may break any
 * @param maker maker of the nodes that have the bug
 */
record Mutant(String name, String bug, List<String> properties, NodeMaker maker) {

    /** Node without a deliberate bug. */
    static final Mutant NONE = new Mutant("none", "none that is known", List.of(), NodeMachine::new);

    /** Reports whether the outcome is a failure that this bug has to cause. */
    boolean isShownBy(Trial.Outcome outcome) {
        return outcome.isFailed() && (properties.isEmpty() || properties.contains(outcome.property()));
    }

    /** Returns all mutants: one for each mistake that the protocols can be given. */
    static List<Mutant> all() {
        return Arrays.stream(Mistake.values())
                .filter(mistake -> mistake != Mistake.NONE)
                .map(Mutant::of)
                .toList();
    }

    /** Reports whether the bug is about the order of primary views. */
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
