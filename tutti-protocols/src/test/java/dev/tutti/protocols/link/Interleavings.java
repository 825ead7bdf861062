package dev.tutti.protocols.link;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Runs a story once for every sequence of choices that it can be given, by depth-first search. */
final class Interleavings {

    /** Where a story asks what is to happen next. */
    static final class Choices {
        private final List<Integer> prefix;
        private final List<Integer> taken = new ArrayList<>();
        private final List<Integer> options = new ArrayList<>();

        private Choices(List<Integer> prefix) {
            this.prefix = prefix;
        }

        int choose(int count) {
            int index = taken.size();
            int choice = index < prefix.size() ? prefix.get(index) : 0;
            taken.add(choice);
            options.add(count);
            return choice;
        }

        @Override
        public String toString() {
            return "choices " + taken;
        }
    }

    private Interleavings() {}

    /**
     * @param story runs from the start with the choices it is given
     * @return how many were run
     */
    static int explore(int runsMax, Function<Choices, Void> story) {
        List<Integer> prefix = List.of();
        for (int runs = 1; runs <= runsMax; runs++) {
            Choices choices = new Choices(prefix);
            story.apply(choices);
            int last = choices.taken.size() - 1;
            while (last >= 0 && choices.taken.get(last) + 1 >= choices.options.get(last)) {
                last--;
            }
            if (last < 0) {
                return runs;
            }
            prefix = new ArrayList<>(choices.taken.subList(0, last));
            prefix.add(choices.taken.get(last) + 1);
        }
        throw new AssertionError("more than " + runsMax + " interleavings");
    }
}
