package dev.tutti.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Origin of the members of a view. */
class ViewTest {

    private static final Member A = member("a");
    private static final Member B = member("b");
    private static final Member C = member("c");
    private static final Member D = member("d");

    private static Member member(String name) {
        return new Member(new NodeId(1, name, name + ":7800"), 1);
    }

    private static View view(long number, Member maker, View... parts) {
        List<View.Part> from = List.of(parts).stream().map(part -> new View.Part(part.id(), part.members(), new TreeMap<>())).toList();
        return new View(new ViewId(number, 1, maker), from.stream().flatMap(part -> part.members().stream()).toList(), from);
    }

    @Test
    void newMembersHaveNotRejoinedAndNewcomersWereApartFromNobody() {
        View both = view(2, A, View.alone(A), View.alone(B));
        assertThat(both.after(View.alone(A)).rejoined()).isEmpty();
        View three = view(3, A, both, View.alone(C));
        assertThat(three.after(both).rejoined()).isEmpty();
        assertThat(three.after(View.alone(C)).rejoined()).as("of the newcomer").isEmpty();
    }

    @Test
    void membersOfAnotherPartHaveRejoined() {
        View three = view(3, A, view(2, A, View.alone(A), View.alone(B)), View.alone(C));
        View left = view(4, A, new View(three.id(), List.of(A, B), List.of()));
        View right = view(4, C, new View(three.id(), List.of(C), List.of()));
        View merged = view(5, A, left, right, View.alone(D));
        assertThat(merged.after(left).rejoined()).containsExactly(C);
        assertThat(merged.after(right).rejoined()).containsExactly(A, B);
        assertThat(merged.after(View.alone(D)).rejoined()).isEmpty();
        assertThat(merged.rejoined()).as("without a former view").isEmpty();
    }

    @Test
    void aViewAfterACrashHasNoneThatRejoined() {
        View both = view(2, A, View.alone(A), View.alone(B));
        View one = view(3, A, new View(both.id(), List.of(A), List.of()));
        assertThat(one.after(both).rejoined()).isEmpty();
    }
}
