package dev.tutti.protocols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.protocols.GroupModel.Proc;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One fault at every step of every kind of view change: each member crashes, each member closes each of its sessions,
 * after the first step, the second, and so on. Three orders of delivery take every third step each. Afterwards everything
 * heals, and every property is checked.
 */
@Order(2)
class FaultAtEveryStepTest {

    private static final int ORDERS = 3;

    /** Change in progress when the fault occurs. */
    enum Change {
        JOIN(3, model -> {
            connect(model, 0, 1);
            model.settle();
            traffic(model);
            connect(model, 0, 2);
            connect(model, 1, 2);
        }),
        JOIN_OF_THE_OLDEST(3, model -> {
            connect(model, 1, 2);
            model.settle();
            traffic(model);
            connect(model, 0, 1);
            connect(model, 0, 2);
        }),
        LEAVE(3, model -> {
            model.connectAll();
            model.settle();
            traffic(model);
            model.leave(model.procs.get(1));
        }),
        CRASH(4, model -> {
            model.connectAll();
            model.settle();
            traffic(model);
            model.crash(model.procs.get(3));
            model.noticeAll();
        }),
        COORDINATOR_CRASH(4, model -> {
            model.connectAll();
            model.settle();
            traffic(model);
            model.crash(model.procs.getFirst());
            model.noticeAll();
        }),
        MERGE(4, model -> {
            connect(model, 0, 1);
            connect(model, 2, 3);
            model.settle();
            traffic(model);
            model.connectAll();
        });

        private final int members;
        private final Consumer<GroupModel> start;

        Change(int members, Consumer<GroupModel> start) {
            this.members = members;
            this.start = start;
        }
    }

    private static void connect(GroupModel model, int one, int other) {
        model.connect(model.procs.get(one), model.procs.get(other));
    }

    /** Everybody sends; of what the first one sent only the second gets something. */
    private static void traffic(GroupModel model) {
        for (Proc proc : model.procs) {
            model.send(proc);
        }
        Proc first = model.procs.getFirst();
        Proc second = model.procs.get(1);
        if (model.canReceive(first, second)) {
            model.receive(first, second);
        }
    }

    private record Fault(int one, int other) {
        void strike(GroupModel model) {
            Proc proc = model.procs.get(one);
            if (other < 0) {
                model.crash(proc);
            } else {
                model.close(proc, model.procs.get(other));
            }
        }

        boolean isPossible(GroupModel model) {
            Proc proc = model.procs.get(one);
            return proc.isUp && !proc.hasLeft && (other < 0 || proc.open.getOrDefault(other, false));
        }
    }

    /** A message to one member, and the view of its sender at that time, by its place in the history. */
    private record Unicast(Proc from, int sentIn, Proc to, String text) {

        /** Returns whether both have been up since, and have gone from view to view together: then it has to arrive. */
        boolean mustArrive() {
            return from.isUp && to.isUp && !from.hasLeft && !to.hasLeft
                    && from.history.stream().skip(sentIn + 1L)
                            .allMatch(chapter -> chapter.view.transitionalSet(from.member).contains(to.member));
        }

        void check() {
            assertThat(to.unicasts.stream().filter(text::equals).count()).as("S2, L2: %s at %s", text, to.index)
                    .isBetween(mustArrive() ? 1L : 0L, 1L);
        }
    }

    private int sentInAViewChange;

    @ParameterizedTest
    @EnumSource(Change.class)
    void everyPropertyHoldsAfterOneFaultAtEveryStep(Change change) {
        int runs = 0;
        for (int order = 0; order < ORDERS; order++) {
            for (Fault fault : faults(change.members)) {
                int step = order;
                while (run(change, fault, step, order)) {
                    step += ORDERS;
                    runs++;
                }
                assertThat(step).as("steps of %s", change).isGreaterThan(5);
            }
        }
        assertThat(runs).isGreaterThan(100);
        assertThat(sentInAViewChange).as("messages to one that were sent in a view change").isGreaterThan(100);
    }

    private static List<Fault> faults(int members) {
        List<Fault> faults = new ArrayList<>();
        for (int one = 0; one < members; one++) {
            for (int other = -1; other < members; other++) {
                if (one != other) {
                    faults.add(new Fault(one, other));
                }
            }
        }
        return faults;
    }

    /** Strikes after so many steps; whether there were that many. */
    private boolean run(Change change, Fault fault, int faultAt, int order) {
        GroupModel model = new GroupModel(change.members, 128 * 1024);
        SplittableRandom random = new SplittableRandom(order);
        try {
            change.start.accept(model);
            for (int step = 0; step < faultAt; step++) {
                if (!step(model, order, random)) {
                    return false;
                }
            }
            List<Unicast> unicasts = sendToEachOther(model, 0);
            if (fault.isPossible(model)) {
                fault.strike(model);
            }
            unicasts.addAll(sendToEachOther(model, 1));
            for (int step = 0; step < 12; step++) {
                step(model, order, random);
            }
            model.heal();
            model.checkSafety();
            model.checkAtRest();
            unicasts.forEach(Unicast::check);
            return true;
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(change + ", " + fault + " after step " + faultAt + ", order " + order, e);
        }
    }

    private List<Unicast> sendToEachOther(GroupModel model, int number) {
        List<Unicast> unicasts = new ArrayList<>();
        for (Proc from : model.up()) {
            for (Proc to : model.procs) {
                if (from != to && from.view().contains(to.member)) {
                    unicasts.add(new Unicast(from, from.history.size() - 1, to, from.member + ":u" + number));
                    model.sendTo(from, to, "u" + number);
                    sentInAViewChange += from.number("packing.frozen") == 1 && !from.outgoing.isWaiting(to.member) ? 1 : 0;
                }
            }
        }
        return unicasts;
    }

    /** The next packet in the given order, or time if there is none; whether anything is left to happen. */
    private static boolean step(GroupModel model, int order, SplittableRandom random) {
        List<Proc[]> ready = new ArrayList<>();
        for (Proc from : model.procs) {
            for (Proc to : model.procs) {
                if (model.canReceive(from, to)) {
                    ready.add(new Proc[] {from, to});
                }
            }
        }
        if (ready.isEmpty()) {
            if (model.procs.stream().anyMatch(proc -> proc.hasLeft) && model.noticeAll()) {
                return true;
            }
            return model.advanceToNextTimer();
        }
        Proc[] next =
                switch (order) {
                    case 0 -> ready.getFirst();
                    case 1 -> ready.getLast();
                    default -> ready.get(random.nextInt(ready.size()));
                };
        model.receive(next[0], next[1]);
        return true;
    }
}
