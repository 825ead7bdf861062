package dev.tutti.console.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.console.Role;
import dev.tutti.console.internal.Gate.Principal;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class GateTest {

    private static final String TOKEN = "correct horse battery staple";

    private long nanos = 17;
    private final Map<String, Role> users = new HashMap<>(Map.of("ann", Role.OPERATOR, "bob", Role.READER));
    private final Gate gate = new Gate(TOKEN, Role.READER, users::get, TimeUnit.HOURS.toNanos(1), () -> nanos);

    private String enter() {
        return ((Gate.Open) gate.enter(TOKEN)).session();
    }

    @Test
    void theTokenOpensASessionThatEnds() {
        String session = enter();
        assertThat(gate.isOpen(session)).isTrue();
        nanos += TimeUnit.HOURS.toNanos(1);
        assertThat(gate.isOpen(session)).isFalse();
    }

    @Test
    void nothingElseOpens() {
        assertThat(gate.enter("")).isEqualTo(new Gate.Wrong());
        assertThat(gate.enter(TOKEN + " ")).isEqualTo(new Gate.Wrong());
        assertThat(gate.isOpen(null)).isFalse();
        assertThat(gate.isOpen("")).isFalse();
        assertThat(gate.isOpen(TOKEN)).isFalse();
        assertThat(gate.isOpen("x".repeat(100_000))).isFalse();
    }

    @Test
    void aPersonWhomAProviderKnowsKeepsTheRoleOfTheLogIn() {
        String session = gate.enterByProvider("oidc:ann", Role.READER).session();
        Principal principal = gate.principal(session);
        assertThat(principal).extracting(Principal::name, Principal::account, Principal::role).containsExactly("oidc:ann", "", Role.READER);
        users.remove("ann");
        assertThat(gate.isOpen(session)).isTrue();
        nanos += TimeUnit.HOURS.toNanos(1);
        assertThat(gate.isOpen(session)).isFalse();
    }

    @Test
    void leavingEndsTheSessionAtOnce() {
        String session = enter();
        gate.leave(session);
        assertThat(gate.isOpen(session)).isFalse();
    }

    @Test
    void aLinkIsGoodOnceAndNotForLong() {
        String link = gate.newLink();
        assertThat(gate.enterByLink(link)).isInstanceOf(Gate.Open.class);
        assertThat(gate.enterByLink(link)).isEqualTo(new Gate.Wrong());
        String late = gate.newLink();
        nanos += Gate.LINK_NANOS;
        assertThat(gate.enterByLink(late)).isEqualTo(new Gate.Wrong());
    }

    @Test
    void aNewLinkReplacesTheOneBefore() {
        String first = gate.newLink();
        gate.newLink();
        assertThat(gate.enterByLink(first)).isEqualTo(new Gate.Wrong());
    }

    @Test
    void wrongOnesNeverKeepTheRightOneOut() {
        String link = gate.newLink();
        for (int attempt = 0; attempt < 1_000; attempt++) {
            assertThat(gate.enter("wrong")).isEqualTo(new Gate.Wrong());
            assertThat(gate.enterByLink("x")).isEqualTo(new Gate.Wrong());
            assertThat(gate.isToken("wrong")).isFalse();
        }
        assertThat(gate.refused()).isEqualTo(3_000);
        assertThat(gate.isToken(TOKEN)).isTrue();
        assertThat(gate.enter(TOKEN)).isInstanceOf(Gate.Open.class);
        assertThat(gate.enterByLink(link)).isInstanceOf(Gate.Open.class);
    }

    @Test
    void tokensThatItMakesCannotBeGuessed() {
        assertThat(gate.isGuessable()).isTrue();
        assertThat(new Gate(Gate.newSecret(), Role.READER, users::get, 1, () -> 0).isGuessable()).isFalse();
    }

    @Test
    void theOldestSessionMakesRoom() {
        String first = enter();
        for (int more = 0; more < Gate.SESSIONS_MAX; more++) {
            enter();
        }
        assertThat(gate.isOpen(first)).isFalse();
        assertThat(gate.isOpen(enter())).isTrue();
    }

    @Test
    void secretsDiffer() {
        Set<String> secrets = new HashSet<>();
        for (int each = 0; each < 100; each++) {
            secrets.add(Gate.newSecret());
        }
        assertThat(secrets).hasSize(100).allMatch(secret -> secret.length() == 43);
    }

    @Test
    void aTokenOfAFewCharactersIsRefused() {
        assertThatThrownBy(() -> new Gate("short", Role.READER, users::get, 1, () -> 0)).hasMessageContaining("16").hasMessageContaining("5");
    }

    private Principal of(Gate.Outcome outcome) {
        return gate.principal(((Gate.Open) outcome).session());
    }

    @Test
    void aSessionHasThePresentRoleOfItsUserAndEndsWithTheUser() {
        String session = ((Gate.Open) gate.enterAs("bob", Role.READER)).session();
        assertThat(gate.principal(session).role()).isEqualTo(Role.READER);
        users.put("bob", Role.OPERATOR);
        assertThat(gate.principal(session).role()).isEqualTo(Role.OPERATOR);
        users.remove("bob");
        assertThat(gate.principal(session)).isNull();
        users.put("bob", Role.OPERATOR);
        assertThat(gate.principal(session)).as("a new user of the same name").isNull();
    }

    @Test
    void theTokenAndThePrintedLinkHaveTheRoleOfTheToken() {
        assertThat(of(gate.enter(TOKEN)).role()).isEqualTo(Role.READER);
        assertThat(of(gate.enterByLink(gate.newLink())).role()).isEqualTo(Role.READER);
        assertThat(gate.program().role()).isEqualTo(Role.READER);
    }

    @Test
    void aLinkHasAtMostTheRoleOfItsMaker() {
        Principal ann = of(gate.enterAs("ann", Role.OPERATOR));
        Principal bob = of(gate.enterAs("bob", Role.READER));
        assertThat(of(gate.enterByLink(gate.newLink(ann, Role.READER))).role()).isEqualTo(Role.READER);
        assertThatThrownBy(() -> gate.newLink(bob, Role.OPERATOR)).hasMessageContaining("reader");
        String session = ((Gate.Open) gate.enterByLink(gate.newLink(ann, Role.OPERATOR))).session();
        assertThat(gate.principal(session).role()).isEqualTo(Role.OPERATOR);
        assertThat(gate.principal(session).name()).isEqualTo("link of ann");
        users.put("ann", Role.READER);
        assertThat(gate.principal(session).role()).as("its maker is a reader now").isEqualTo(Role.READER);
        users.remove("ann");
        assertThat(gate.principal(session)).as("its maker is gone").isNull();
    }

    @Test
    void aLinkOfSomebodyWhoIsGoneOpensNothing() {
        String link = gate.newLink(of(gate.enterAs("ann", Role.OPERATOR)), Role.READER);
        users.remove("ann");
        assertThat(gate.enterByLink(link)).isEqualTo(new Gate.Wrong());
    }

    @Test
    void linksOfPeopleAreGoodOnceAndAsManyAsAllowed() {
        Principal ann = of(gate.enterAs("ann", Role.OPERATOR));
        String printed = gate.newLink();
        String first = gate.newLink(ann, Role.READER);
        for (int more = 0; more < Gate.LINKS_MAX; more++) {
            gate.newLink(ann, Role.READER);
        }
        assertThat(gate.enterByLink(first)).as("the oldest made room").isEqualTo(new Gate.Wrong());
        assertThat(gate.enterByLink(printed)).as("the printed one makes no room").isInstanceOf(Gate.Open.class);
        String once = gate.newLink(ann, Role.READER);
        assertThat(gate.enterByLink(once)).isInstanceOf(Gate.Open.class);
        assertThat(gate.enterByLink(once)).isEqualTo(new Gate.Wrong());
        String late = gate.newLink(ann, Role.READER);
        nanos += Gate.LINK_NANOS;
        assertThat(gate.enterByLink(late)).isEqualTo(new Gate.Wrong());
    }

    @Test
    void sessionsHaveProofsOfTheirOwn() {
        Principal one = of(gate.enterAs("ann", Role.OPERATOR));
        Principal other = of(gate.enterAs("ann", Role.OPERATOR));
        assertThat(one.proof()).hasSize(43).isNotEqualTo(other.proof());
    }
}
