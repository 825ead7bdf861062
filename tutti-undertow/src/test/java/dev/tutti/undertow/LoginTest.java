package dev.tutti.undertow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.testing.Browser;
import dev.tutti.undertow.UndertowNode.Page;
import io.undertow.security.idm.Account;
import io.undertow.security.idm.Credential;
import io.undertow.security.idm.IdentityManager;
import io.undertow.security.idm.PasswordCredential;
import io.undertow.servlet.api.DeploymentInfo;
import io.undertow.servlet.api.LoginConfig;
import io.undertow.servlet.api.SecurityConstraint;
import io.undertow.servlet.api.WebResourceCollection;
import java.io.Serializable;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Logins by Undertow's own forms, which keep the user in the session. */
class LoginTest {

    private final String cluster = "test-" + UUID.randomUUID();

    /** A user, as the application knows them. */
    private record User(String name) implements Account, Principal, Serializable {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public Principal getPrincipal() {
            return this;
        }

        @Override
        public Set<String> getRoles() {
            return Set.of("user");
        }
    }

    /** Knows Ann. */
    private static final class Users implements IdentityManager {
        @Override
        public Account verify(Account account) {
            return account;
        }

        @Override
        public @Nullable Account verify(String id, Credential credential) {
            boolean isRight = id.equals("ann")
                    && credential instanceof PasswordCredential password
                    && Arrays.equals(password.getPassword(), "secret".toCharArray());
            return isRight ? new User(id) : null;
        }

        @Override
        public @Nullable Account verify(Credential credential) {
            return null;
        }
    }

    private static void protect(DeploymentInfo application) {
        application
                .setIdentityManager(new Users())
                .setLoginConfig(new LoginConfig("FORM", "shop", "/login", "/login"))
                .addSecurityRole("user")
                .addSecurityConstraint(new SecurityConstraint()
                        .addWebResourceCollection(new WebResourceCollection().addUrlPattern("/private"))
                        .addRoleAllowed("user"));
    }

    private UndertowNode start(String name, Map<String, Page> pages) {
        Node node = Node.local().cluster(cluster).name(name).set("records.directory", "memory").start();
        return new UndertowNode(node, pages, UnaryOperator.identity(), LoginTest::protect);
    }

    private static long written(UndertowNode server) {
        return server.node().inspection().components().getFirst().part().value("written");
    }

    @Test
    void aUserWhoHasLoggedInIsKnownAtTheOtherNodes() {
        Map<String, Page> pages = new LinkedHashMap<>();
        pages.put("/login", (request, response) -> response.getWriter().print("who are you?"));
        pages.put("/private", (request, response) -> response.getWriter().print("hello " + request.getRemoteUser()));
        Browser browser = new Browser();
        try (UndertowNode a = start("a", pages);
                UndertowNode b = start("b", pages)) {
            assertThat(browser.get(a, "/private")).isEqualTo("who are you?");
            String before = browser.session();
            HttpResponse<String> login = browser.post(b.url("/j_security_check"), "j_username=ann&j_password=secret");
            assertThat(login.statusCode()).isBetween(302, 303);
            assertThat(login.headers().firstValue("Location").orElse("")).as("the page that another node was asked for").endsWith("/shop/private");
            assertThat(browser.session()).as("against session fixation").isNotEqualTo(before);
            assertThat(browser.get(a, "/private")).isEqualTo("hello ann");
            long writtenBefore = written(b);
            assertThat(browser.get(b, "/private")).isEqualTo("hello ann");
            assertThat(written(b)).as("Undertow sets the user again, which is no change").isEqualTo(writtenBefore);
        }
    }
}
