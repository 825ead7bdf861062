package dev.tutti.console.internal.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.console.internal.oidc.PendingLogins.Login;
import org.junit.jupiter.api.Test;

class PendingLoginsTest {

    private long nanos = 17;
    private final PendingLogins logins = new PendingLogins(() -> nanos);

    @Test
    void aLogInIsGoodOnceInItsBrowserAndForAWhile() {
        Login login = logins.begin("a", "https://here/login/callback");
        assertThat(logins.end(login.state(), login.browser())).isEqualTo(login);
        assertThat(logins.end(login.state(), login.browser())).isNull();
        Login stolen = logins.begin("a", "");
        assertThat(logins.end(stolen.state(), "")).isNull();
        assertThat(logins.end(stolen.state(), stolen.browser())).as("tried in another browser before").isNull();
        Login late = logins.begin("a", "");
        nanos += PendingLogins.LIFE_NANOS;
        assertThat(logins.end(late.state(), late.browser())).isNull();
        assertThat(logins.end("x".repeat(100_000), "")).isNull();
        assertThat(logins.size()).isZero();
    }

    @Test
    void oneOriginDisplacesItsOwnLogInsOnly() {
        Login other = logins.begin("b", "");
        Login first = logins.begin("a", "");
        for (int count = 0; count < 10 * PendingLogins.OF_ORIGIN_MAX; count++) {
            logins.begin("a", "");
        }
        assertThat(logins.size()).isEqualTo(1 + PendingLogins.OF_ORIGIN_MAX);
        assertThat(logins.end(first.state(), first.browser())).isNull();
        assertThat(logins.end(other.state(), other.browser())).isEqualTo(other);
    }

    @Test
    void allTogetherAreBounded() {
        for (int count = 0; count < 2 * PendingLogins.MAX; count++) {
            logins.begin("origin " + count, "");
        }
        assertThat(logins.size()).isEqualTo(PendingLogins.MAX);
    }
}
