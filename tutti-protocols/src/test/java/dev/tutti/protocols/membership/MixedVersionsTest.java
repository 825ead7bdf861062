package dev.tutti.protocols.membership;

import static dev.tutti.protocols.membership.MembershipScene.id;
import static dev.tutti.protocols.membership.MembershipScene.m;
import static dev.tutti.protocols.membership.MembershipScene.members;
import static dev.tutti.protocols.membership.MembershipScene.part;
import static dev.tutti.protocols.membership.MembershipScene.steady;
import static dev.tutti.protocols.membership.MembershipScene.vector;
import static dev.tutti.protocols.membership.MembershipScene.vectorless;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.Packet;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.core.Wire;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import java.util.List;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;

/** Members of different versions in one view: what a later version has added is off until all of them know it. */
class MixedVersionsTest {

    private static final ToIntFunction<Member> NEW = member -> 2;
    private static final ToIntFunction<Member> ALL_BUT_THIRD = member -> member.equals(m(3)) ? 1 : 2;

    /** The first member as coordinator of a view that all have announced, and in which it kept packets until then. */
    private static MembershipScene stable(ToIntFunction<Member> versions) {
        MembershipScene first = steady(1, versions, 1, 2, 3);
        ViewId id = id(3, 1, 1);
        first.advert(m(2), first.view, first.view.id(), m(1), members(1, 2, 3), members(3));
        first.turn();
        first.frozen(vector(1, 3));
        first.ack(m(2), id, first.view, vector(1, 2));
        first.ack(m(3), id, first.view, vector(1, 2));
        first.reached(id);
        for (int other : new int[] {2, 3}) {
            first.advert(m(other), first.view, first.view.id(), m(1), members(1, 2, 3), List.of());
        }
        first.turn();
        return first;
    }

    /** The second member in a view of the first one's making, in which it keeps packets. */
    private static MembershipScene follower(ToIntFunction<Member> versions) {
        MembershipScene second = steady(2, versions, 1, 2, 3);
        ViewId id = id(6, 1, 1);
        second.prepare(m(1), id);
        second.frozen(vector(1, 3));
        View.Part part = part(second.view.id(), members(1, 2, 3), vector(1, 3));
        second.cut(m(1), id, new View(id, members(1, 2, 3), List.of(part)), vectorless());
        second.reached(id);
        second.layer.takeRaised(Signal.ViewChange.ViewStable.class);
        return second;
    }

    private static int installedVersion(MembershipScene scene) {
        return scene.layer.takeRaised(Signal.ViewChange.Installed.class).getLast().version();
    }

    @Test
    void viewHasTheLowestVersionOfItsMembers() {
        assertThat(installedVersion(stable(NEW))).isEqualTo(2);
        assertThat(installedVersion(stable(ALL_BUT_THIRD))).isEqualTo(1);
        assertThat(installedVersion(stable(member -> member.equals(m(1)) ? 1 : 2))).isEqualTo(1);
        assertThat(installedVersion(stable(member -> member.equals(m(2)) ? 3 : 2))).isEqualTo(2);
        assertThat(installedVersion(follower(NEW))).isEqualTo(2);
        assertThat(installedVersion(follower(ALL_BUT_THIRD))).isEqualTo(1);
    }

    @Test
    void laterFormOfAMessageIsSentWhenAllKnowIt() {
        assertThat(stable(NEW).ballotMessages())
                .contains("TAG_STABLE 3.1@1 to n2", "TAG_STABLE 3.1@1 to n3")
                .noneMatch(message -> message.startsWith("VIEW_STABLE"));
    }

    @Test
    void earlierFormIsSentToAllWhileOneMemberKnowsNoOther() {
        assertThat(stable(ALL_BUT_THIRD).ballotMessages())
                .contains("VIEW_STABLE 3.1@n1 to n2", "VIEW_STABLE 3.1@n1 to n3")
                .noneMatch(message -> message.startsWith("TAG_STABLE"));
    }

    private static Packet tagStable(MembershipScene scene, ViewId id) {
        Packet packet = Packet.create(scene.layer.memory, 0);
        Wire.prependTag(packet, id);
        return packet.prependByte(MembershipMessage.TAG_STABLE);
    }

    @Test
    void bothFormsAreTakenInAnyView() {
        for (ToIntFunction<Member> versions : List.of(NEW, ALL_BUT_THIRD)) {
            MembershipScene second = follower(versions);
            second.layer.receive(m(1), tagStable(second, second.view.id()));
            second.turn();
            assertThat(second.layer.takeRaised(Signal.ViewChange.ViewStable.class)).containsExactly(new Signal.ViewChange.ViewStable(second.view));
            MembershipScene other = follower(versions);
            other.followed(m(1), other.view.id());
            assertThat(other.layer.takeRaised(Signal.ViewChange.ViewStable.class)).containsExactly(new Signal.ViewChange.ViewStable(other.view));
        }
    }

    @Test
    void laterFormIsCheckedAsTheEarlierOneIs() {
        MembershipScene second = follower(NEW);
        second.layer.receive(m(3), tagStable(second, second.view.id()));
        second.layer.receive(m(1), tagStable(second, id(4, 1, 1)));
        second.layer.receive(m(1), Packet.create(second.layer.memory, 8).appendByte(MembershipMessage.TAG_STABLE).appendInt(1));
        second.turn();
        assertThat(second.layer.takeDropped()).containsExactly(DropReason.FORGED, DropReason.MALFORMED);
        assertThat(second.layer.takeRaised(Signal.ViewChange.ViewStable.class)).isEmpty();
    }

    @Test
    void memberOfTheEarlierVersionDoesNotKnowTheLaterForm() {
        MembershipScene second = follower(member -> 1);
        second.layer.receive(m(1), tagStable(second, second.view.id()));
        assertThat(second.layer.takeDropped()).containsExactly(DropReason.MALFORMED);
    }
}
