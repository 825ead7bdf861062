package dev.tutti.sim.check;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** History of three members, told entry by entry, and the properties that the checker finds violated in it. */
abstract class ToldHistory {

    final Member p = member(1, "p");
    final Member q = member(2, "q");
    final Member r = member(3, "r");
    final History history = new History();
    private final Map<Member, View> current = new LinkedHashMap<>();

    static Member member(long incarnation, String name) {
        return new Member(new NodeId(incarnation, name, name + ":1"), 1);
    }

    @BeforeEach
    void everybodyIsAloneAtFirst() {
        for (Member member : List.of(p, q, r)) {
            see(member, View.alone(member));
            history.add(new History.Joined(member));
        }
    }

    void see(Member member, View view) {
        history.add(new History.Viewed(member, view));
        current.put(member, view);
    }

    /** A view of {@code members} whose parts are as they are: who comes from one view is in one part. */
    View view(long number, Member... members) {
        TreeMap<ViewId, List<Member>> groups = new TreeMap<>();
        for (Member member : members) {
            groups.computeIfAbsent(current.get(member).id(), id -> new ArrayList<>()).add(member);
        }
        List<View.Part> parts = new ArrayList<>();
        groups.forEach((id, part) -> parts.add(new View.Part(id, part, new TreeMap<>())));
        return new View(new ViewId(number, 1, members[0]), List.of(members), parts);
    }

    View install(long number, Member... members) {
        View view = view(number, members);
        for (Member member : members) {
            see(member, view);
        }
        return view;
    }

    static History.Message message(Member sender, @Nullable Member receiver, long index) {
        return new History.Message(sender, receiver, index, 17 * index);
    }

    /** Submits, and delivers to itself. */
    void send(Member sender, long index) {
        history.add(new History.Submitted(sender, message(sender, null, index)));
        deliver(sender, sender, index);
    }

    void deliver(Member receiver, Member sender, long index) {
        history.add(new History.Delivered(receiver, message(sender, null, index)));
    }

    List<String> violated() {
        return names(PropertyChecker.violations(history));
    }

    List<String> violatedAtRest(Member... present) {
        return names(PropertyChecker.violationsAtRest(history, List.of(present)));
    }

    static List<String> names(Collection<Violation> violations) {
        return violations.stream().map(Violation::property).distinct().toList();
    }

    static History.Message urgent(Member sender, @Nullable Member receiver, long index) {
        return new History.Message(sender, receiver, true, index, 17 * index);
    }

    void sendUrgent(Member sender, @Nullable Member receiver, long index) {
        history.add(new History.Submitted(sender, urgent(sender, receiver, index)));
    }

    void deliverUrgent(Member receiver, Member sender, @Nullable Member to, long index) {
        history.add(new History.Delivered(receiver, urgent(sender, to, index)));
    }

    List<String> violated(Promise promise) {
        return names(PropertyChecker.violations(promise, history));
    }

    void submit(Member sender, long index) {
        history.add(new History.Submitted(sender, message(sender, null, index)));
    }

    void submitTo(Member sender, Member receiver, long index) {
        history.add(new History.Submitted(sender, message(sender, receiver, index)));
    }
}
