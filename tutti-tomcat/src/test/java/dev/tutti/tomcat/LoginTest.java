package dev.tutti.tomcat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.tomcat.TomcatNode.Page;
import dev.tutti.tomcat.replication.InMemoryCluster;
import jakarta.servlet.http.HttpServletRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
        TuttiManager manager = new TuttiManager(cluster.source(name));
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
        // Replication does not hold a response up: whoever goes elsewhere at once may be quicker.
        cluster.awaitDelivery();
        String before = browser.session();
        HttpResponse<String> login =
                browser.post(nodes.get(1), "/j_security_check", "j_username", "ann", "j_password", "secret");
        assertThat(login.statusCode()).isEqualTo(303);
        cluster.awaitDelivery();
        assertThat(browser.session()).as("another id after the login").isNotEqualTo(before);
        assertThat(browser.get(nodes.get(2), "/secret")).isEqualTo("secret of ann true FORM");
        cluster.crash("b");
        assertThat(browser.get(nodes.get(0), "/secret")).isEqualTo("secret of ann true FORM");
        assertThat(new Browser().useSession(before).get(nodes.get(0), "/secret")).isEqualTo("please log in");
    }

    @Test
    void logoutIsSeenEverywhere() {
        List<TomcatNode> nodes = List.of(start("a", "FORM"), start("b", "FORM"));
        browser.get(nodes.get(0), "/secret");
        browser.post(nodes.get(0), "/j_security_check", "j_username", "ann", "j_password", "secret");
        cluster.awaitDelivery();
        assertThat(browser.get(nodes.get(1), "/secret")).startsWith("secret of ann");
        browser.get(nodes.get(1), "/out");
        cluster.awaitDelivery();
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
