package dev.tutti.protocols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.ViewId;
import dev.tutti.protocols.GroupModel.Proc;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The runs that show why the view change decides as it does (docs/design/membership.md), with whole members. */
class DecisionsTest {

    private GroupModel model;

    private Proc member(int index) {
        return model.procs.get(index);
    }

    private void connected(int count) {
        model = new GroupModel(count, 128 * 1024);
        model.connectAll();
        model.settle();
        assertThat(member(0).view().size()).isEqualTo(count);
    }

    private void notice(int gone) {
        for (Proc proc : model.up()) {
            if (proc.open.getOrDefault(gone, false)) {
                model.close(proc, member(gone));
            }
        }
    }

    /** Delivers whatever is under way but for one channel, which is used only if nothing else is, until it holds. */
    private void runSparing(int from, int to, BooleanSupplier condition) {
        int steps = 0;
        while (!condition.getAsBoolean()) {
            assertThat(steps++).as("steps").isLessThan(500);
            boolean hasMoved = false;
            for (Proc sender : model.procs) {
                for (Proc receiver : model.procs) {
                    boolean isSpared = sender.index == from && receiver.index == to;
                    if (!hasMoved && !isSpared && model.canReceive(sender, receiver)) {
                        model.receive(sender, receiver);
                        hasMoved = true;
                    }
                }
            }
            if (!hasMoved && model.canReceive(member(from), member(to))) {
                model.receive(member(from), member(to));
            } else if (!hasMoved) {
                assertThat(model.advanceToNextTimer()).isTrue();
            }
        }
    }

    private void finish() {
        model.heal();
        model.checkSafety();
        model.checkAtRest();
    }

    @Test
    void whatOneSurvivorHasOfACrashedSenderAllGet_D1_D2() {
        connected(3);
        model.send(member(2));
        model.receive(member(2), member(0));
        model.crash(member(2));
        notice(2);
        finish();
        assertThat(member(1).history.get(1).delivered).containsExactly("n2:m0");
        assertThat(member(1).number("reliability.repairs-received")).isEqualTo(1);
    }

    @Test
    void anInstalledViewIsCompletedAtThoseOfItsPart_D3() {
        connected(4);
        model.crash(member(3));
        notice(3);
        runSparing(0, 2, () -> member(1).view().size() == 3);
        assertThat(member(2).view().size()).isEqualTo(4);
        model.crash(member(0));
        notice(0);
        finish();
        assertThat(member(1).number("membership.stragglers-completed")).isEqualTo(1);
        assertThat(viewsOf(2)).as("2 went the way of 1").isEqualTo(viewsOf(1));
    }

    private List<ViewId> viewsOf(int index) {
        List<ViewId> views = new ArrayList<>();
        member(index).history.stream().skip(1).forEach(chapter -> views.add(chapter.view.id()));
        return views;
    }

    @Test
    void afterItsAnswerAMemberDeliversNothingThatTheCutDoesNotName_D4() {
        connected(3);
        model.send(member(2));
        model.close(member(1), member(2));
        while (model.canReceive(member(1), member(0))) {
            model.receive(member(1), member(0));
        }
        // The coordinator hears both, and waits before it decides between them.
        model.advance(300_000_000);
        runSparing(2, 0, () -> member(0).number("membership.ballots-started") == 2);
        model.receive(member(2), member(0));
        model.crash(member(2));
        notice(2);
        finish();
        assertThat(member(0).history.get(1).delivered).isEmpty();
        assertThat(member(1).history.get(1).delivered).isEmpty();
        assertThat(member(0).number("dropped.frozen")).isPositive();
    }

    @Test
    void aPacketOfAComingViewIsDeliveredInIt_D8() {
        connected(2);
        Proc newcomer = model.add();
        model.connectAll();
        runSparing(0, 1, () -> newcomer.view().size() == 3);
        assertThat(member(1).view().size()).isEqualTo(2);
        model.send(newcomer);
        while (model.canReceive(newcomer, member(1))) {
            model.receive(newcomer, member(1));
        }
        assertThat(member(1).number("reliability.held-packets")).isPositive();
        finish();
        assertThat(member(1).history.getLast().delivered).containsExactly("n2:m0");
    }

    @Test
    void packetsOfTheViewBeforeAreKeptUntilThePartHasFollowed_D9() {
        connected(3);
        model.send(member(0));
        model.receive(member(0), member(1));
        model.crash(member(0));
        notice(0);
        runSparing(1, 2, () -> member(1).view().size() == 2);
        assertThat(member(2).view().size()).as("2 has yet to ask for it").isEqualTo(3);
        finish();
        assertThat(member(2).history.get(1).delivered).containsExactly("n0:m0");
        assertThat(member(1).number("reliability.repairs-sent")).isEqualTo(1);
    }

    @Test
    void aMemberThatCannotBeInTheOldestsViewLeadsItsOwn_D12() {
        model = new GroupModel(3, 128 * 1024);
        model.connect(member(0), member(1));
        model.connect(member(0), member(2));
        model.settle();
        model.checkSafety();
        assertThat(member(0).view().size()).isEqualTo(2);
        assertThat(member(1).view().id()).isEqualTo(member(0).view().id());
        assertThat(member(2).view().size()).isEqualTo(1);
        int views = member(0).history.size();
        model.advance(10_000_000_000L);
        model.settle();
        assertThat(member(0).history).as("no flapping").hasSize(views);
    }

    @Test
    void aMemberThatHasNotNoticedIsWaitedFor_D13() {
        connected(3);
        model.crash(member(0));
        model.close(member(1), member(0));
        model.deliverAll();
        model.advance(1_000_000_000L);
        model.deliverAll();
        assertThat(member(1).history).as("2 still follows 0").hasSize(2);
        model.close(member(2), member(0));
        finish();
        assertThat(member(1).history).as("one view of both").hasSize(3);
    }
}
