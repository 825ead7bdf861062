package dev.tutti.protocols.membership;

import static dev.tutti.protocols.membership.MembershipScene.id;
import static dev.tutti.protocols.membership.MembershipScene.m;
import static dev.tutti.protocols.membership.MembershipScene.members;
import static dev.tutti.protocols.membership.MembershipScene.steady;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.View;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests for the members of another member's view: when they are sent, and the answers. */
class WhoTest {

    /** Member 2 of 5.1@n1 = {1, 2, 3}, with 1 for its coordinator. */
    private final MembershipScene member = steady(2, 1, 2, 3);

    private final MembershipScene three = new MembershipScene(3);
    private final View pair = new View(id(3, 1, 1), members(1, 2), List.of());

    private void hearsOne() {
        three.open(m(1));
        three.advert(m(1), pair, pair.id(), m(1), members(1, 2, 3), List.of());
        three.turn();
    }

    @Test
    void isInTheViewOfSomebodyOlderIsAskedOnce() {
        hearsOne();
        three.turn();
        three.open(m(7));
        three.turn();
        assertThat(three.messages()).filteredOn(text -> text.startsWith("WHO")).containsExactly("WHO to n1");
    }

    @Test
    void isAskedAgainOfANewSession() {
        hearsOne();
        three.close(m(1));
        three.turn();
        hearsOne();
        assertThat(three.messages()).filteredOn(text -> text.startsWith("WHO")).hasSize(2);
    }

    @Test
    void isAnsweredWithTheMembers() {
        member.layer.receive(m(3), MembershipScene.control(MembershipMessage.WHO));
        member.turn();
        assertThat(member.messages())
                .containsExactly("ADVERT 5.1@n1 promised 5.1@n1 follows n1 members [n1, n2, n3] to n3");
    }

    @Test
    void asksHearsWhomIsFollowedWhenAllThatHasComeIsRead() {
        member.open(m(4));
        member.turn();
        member.forget();
        View ahead = new View(id(5, 2, 1), members(1, 4), List.of());
        member.advert(m(1), ahead, ahead.id(), m(1), members(2, 3, 4), List.of());
        assertThat(member.layer.texts()).as("until it is listed").containsEntry("membership.follows", "n2");
        member.layer.receive(m(1), MembershipScene.control(MembershipMessage.WHO));
        member.listed(m(1), ahead);
        assertThat(member.messages())
                .filteredOn(text -> text.endsWith("to n1"))
                .isNotEmpty()
                .allMatch(text -> text.startsWith("ADVERT 5.1@n1 promised 5.1@n1 follows n1"));
    }

    @Test
    void isToldMayTurnOutToBeAViewThatOneCannotBeIn_D12() {
        hearsOne();
        assertThat(three.layer.texts()).as("not yet known").containsEntry("membership.follows", "n3");
        three.listed(m(1), pair);
        assertThat(three.layer.texts()).as("without 2").containsEntry("membership.follows", "n3");
        three.open(m(2));
        assertThat(three.layer.texts()).containsEntry("membership.follows", "n1");
    }
}
