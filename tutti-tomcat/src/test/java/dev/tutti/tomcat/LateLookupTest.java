package dev.tutti.tomcat;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpSession;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.tomcat.util.descriptor.web.LoginConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that look for their session a long time after they began, with copies on some nodes. */
class LateLookupTest {

    @TempDir
    Path directory;

    private static void useTwoCopies(TomcatNode node) {
        node.manager.setCopies("2");
        node.manager.setQueryTimeout("300 ms");
        node.manager.setAcknowledgementTimeout("300 ms");
        // Without Tomcat's authenticator, which looks for the session before the page does.
        node.context.setLoginConfig(new LoginConfig("NONE", null, null, null));
    }

    @Test
    void sessionThatTheRequestHasFoundIsNotReplacedWhenItsHoldersNoLongerAnswer() {
        try (Shop shop = new Shop(directory)) {
            CompletableFuture<Void> isBegun = new CompletableFuture<>();
            CompletableFuture<Void> mayGoOn = new CompletableFuture<>();
            shop.page("/late", (request, response) -> {
                isBegun.complete(null);
                mayGoOn.join();
                HttpSession session = request.getSession();
                response.getWriter().print(session.isNew() ? "new session" : session.getAttribute("name"));
            });
            List<TomcatNode> nodes = new ArrayList<>();
            for (String name : List.of("a", "b", "c", "d")) {
                nodes.add(shop.start(name, LateLookupTest::useTwoCopies));
            }
            Shop.awaitView(nodes);
            Browser browser = new Browser();
            assertThat(browser.get(nodes.getFirst(), "/set?name=name&value=kept")).isEqualTo("set");
            TomcatNode other = nodes.stream().filter(node -> node.manager.getActiveSessions() == 0).findFirst().orElseThrow();

            CompletableFuture<HttpResponse<String>> response = browser.fetchSoon(other, "/late");
            isBegun.join();
            until("the copy that was brought for the request is given up", () -> other.manager.getActiveSessions() == 0);
            List<TomcatNode> rest = nodes.stream().filter(node -> node != other).toList();
            rest.forEach(node -> shop.cluster.hold(node.name));
            mayGoOn.complete(null);
            assertThat(response.join().body()).isEqualTo("kept");
            rest.forEach(node -> shop.cluster.release(node.name));
        }
    }
}
