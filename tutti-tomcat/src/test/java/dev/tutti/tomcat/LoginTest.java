package dev.tutti.tomcat;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.tomcat.TomcatNode.Page;
import dev.tutti.tomcat.replication.InMemoryCluster;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.catalina.Valve;
import org.apache.catalina.authenticator.BasicAuthenticator;
import org.apache.catalina.authenticator.FormAuthenticator;
import org.apache.tomcat.util.descriptor.web.LoginConfig;
import org.apache.tomcat.util.descriptor.web.SecurityCollection;
import org.apache.tomcat.util.descriptor.web.SecurityConstraint;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A login whose steps are served by different nodes. */
class LoginTest {

    private final InMemoryCluster cluster = InMemoryCluster.threaded();
    private final Map<String, Page> pages = new ConcurrentHashMap<>();
    private final List<TomcatNode> running = new ArrayList<>();
    private final Browser browser = new Browser();

    @TempDir
    Path directory;

    LoginTest() {
        pages.put("/secret", (request, response) -> response.getWriter().print("secret of " + nameOf(request)));
        pages.put("/login", (request, response) -> response.getWriter().print("please log in"));
        pages.put("/open", (request, response) -> {
            request.getSession().setAttribute("x", "1");
            response.getWriter().print(request.getRemoteUser());
        });
        pages.put("/out", (request, response) -> request.logout());
    }

    private static String nameOf(HttpServletRequest request) {
        return request.getUserPrincipal().getName() + " " + request.isUserInRole("buyer") + " " + request.getAuthType();
    }

    private TomcatNode start(String name, String method) {
        TuttiManager manager = TomcatNode.patientManager(cluster.source(name));
        TomcatNode node = new TomcatNode(name, directory, manager, pages, starting -> {
            starting.tomcat.addUser("ann", "secret");
            starting.tomcat.addRole("ann", "buyer");
            SecurityCollection collection = new SecurityCollection();
            collection.addPattern("/secret");
            SecurityConstraint constraint = new SecurityConstraint();
            constraint.addAuthRole("buyer");
            constraint.addCollection(collection);
            starting.context.addConstraint(constraint);
            starting.context.addSecurityRole("buyer");
            starting.context.setLoginConfig(new LoginConfig(method, "shop", "/login", "/login"));
            BasicAuthenticator basic = new BasicAuthenticator();
            basic.setAlwaysUseSession(true);
            starting.context.getPipeline().addValve(method.equals("FORM") ? new FormAuthenticator() : basic);
        });
        running.add(node);
        return node;
    }

    @AfterEach
    void stopAll() {
        running.forEach(TomcatNode::close);
    }

    @Test
    void valveComesBeforeTheAuthenticator() {
        Valve[] valves = start("a", "FORM").context.getPipeline().getValves();
        assertThat(valves[0]).isInstanceOf(ReplicationValve.class);
        assertThat(valves[1]).isInstanceOf(FormAuthenticator.class);
    }

    @Test
    void formLoginWorksWhenEveryStepIsServedByAnotherNode() {
        List<TomcatNode> nodes = List.of(start("a", "FORM"), start("b", "FORM"), start("c", "FORM"));
        assertThat(browser.get(nodes.get(0), "/secret")).isEqualTo("please log in");
        String before = browser.session();
        HttpResponse<String> login =
                browser.post(nodes.get(1), "/j_security_check", "j_username", "ann", "j_password", "secret");
        assertThat(login.statusCode()).isEqualTo(303);
        assertThat(browser.session()).as("another id after the login").isNotEqualTo(before);
        assertThat(browser.get(nodes.get(2), "/secret")).isEqualTo("secret of ann true FORM");
        cluster.crash("b");
        assertThat(browser.get(nodes.get(0), "/secret")).isEqualTo("secret of ann true FORM");
        assertThat(new Browser().useSession(before).get(nodes.get(0), "/secret")).isEqualTo("please log in");
    }

    /** The client has only its former id: the id does not log it in, and nothing else is lost. */
    @Test
    void killDuringALoginLeavesTheSessionAsItWasBefore() {
        pages.put("/show", (request, response) -> {
            HttpSession session = request.getSession(false);
            response.getWriter().print(session == null ? "no session" : session.getAttribute("x") + " " + request.getRemoteUser());
        });
        List<TomcatNode> nodes = List.of(start("a", "FORM"), start("b", "FORM"), start("c", "FORM"));
        browser.get(nodes.get(0), "/open");
        assertThat(browser.get(nodes.get(0), "/secret")).isEqualTo("please log in");
        Browser late = new Browser().useSession(browser.session());
        browser.post(nodes.get(1), "/j_security_check", "j_username", "ann", "j_password", "secret");
        cluster.crash("b");
        assertThat(late.get(nodes.get(0), "/show")).isEqualTo("1 null");
        assertThat(late.get(nodes.get(2), "/secret")).isEqualTo("please log in");
        late.post(nodes.get(2), "/j_security_check", "j_username", "ann", "j_password", "secret");
        assertThat(late.get(nodes.get(0), "/secret")).isEqualTo("secret of ann true FORM");
        assertThat(late.get(nodes.get(0), "/show")).isEqualTo("1 ann");
    }

    /** The answer to the login page may go to any node, which must know the session that has begun with the page. */
    @Test
    void loginPageIsNotSentBeforeItsSessionIsSafe() throws Exception {
        List<TomcatNode> nodes = List.of(start("a", "FORM"), start("b", "FORM"));
        until("a sees b", () -> nodes.get(0).manager.status().get("members").equals(List.of("a", "b")));
        cluster.hold("b");
        CompletableFuture<HttpResponse<String>> page = browser.fetchSoon(nodes.get(0), "/secret");
        until("request waits", () -> nodes.get(0).manager.status().get("messages-awaited").equals(1));
        assertThatThrownBy(() -> page.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        cluster.release("b");
        assertThat(page.get(20, TimeUnit.SECONDS).body()).isEqualTo("please log in");
    }

    @Test
    void loginPageMayChangeItsSession() {
        List<TomcatNode> nodes = List.of(start("a", "FORM"), start("b", "FORM"));
        pages.put("/login", (request, response) -> {
            request.getSession().setAttribute("x", "1");
            response.getWriter().print("please log in");
            response.flushBuffer();
            request.getSession().setAttribute("y", "2");
        });
        pages.put("/show", (request, response) -> {
            HttpSession session = request.getSession(false);
            response.getWriter().print(session == null ? "no session" : session.getAttribute("x") + " " + session.getAttribute("y"));
        });
        assertThat(browser.get(nodes.get(0), "/secret")).isEqualTo("please log in");
        assertThat(browser.get(nodes.get(1), "/show")).isEqualTo("1 2");
    }

    @Test
    void loginPageIsReplicatedAfterARestartOfItsApplication() throws Exception {
        List<TomcatNode> nodes = List.of(start("a", "FORM"), start("b", "FORM"));
        nodes.getFirst().context.stop();
        nodes.getFirst().context.start();
        assertThat(nodes.getFirst().context.findFilterMaps()).hasSize(1);
        assertThat(browser.get(nodes.get(0), "/secret")).isEqualTo("please log in");
        assertThat(browser.post(nodes.get(1), "/j_security_check", "j_username", "ann", "j_password", "secret")
                        .statusCode())
                .isEqualTo(303);
    }

    @Test
    void logoutIsSeenEverywhere() {
        List<TomcatNode> nodes = List.of(start("a", "FORM"), start("b", "FORM"));
        browser.get(nodes.get(0), "/secret");
        browser.post(nodes.get(0), "/j_security_check", "j_username", "ann", "j_password", "secret");
        assertThat(browser.get(nodes.get(1), "/secret")).startsWith("secret of ann");
        browser.get(nodes.get(1), "/out");
        assertThat(browser.get(nodes.get(0), "/secret")).isEqualTo("please log in");
    }

    @Test
    void basicLoginIsRememberedWithTheSession() {
        List<TomcatNode> nodes = List.of(start("a", "BASIC"), start("b", "BASIC"));
        String credentials = Base64.getEncoder().encodeToString("ann:secret".getBytes(StandardCharsets.UTF_8));
        browser.useAuthorization("Basic " + credentials);
        assertThat(browser.get(nodes.get(0), "/secret")).isEqualTo("secret of ann true BASIC");
        assertThat(browser.session()).isNotEmpty();
        browser.useAuthorization("");
        assertThat(browser.get(nodes.get(1), "/secret")).isEqualTo("secret of ann true BASIC");
        assertThat(browser.get(nodes.get(1), "/open")).isEqualTo("ann");
        assertThat(new Browser().get(nodes.get(1), "/secret")).isEqualTo("status 401");
    }
}
