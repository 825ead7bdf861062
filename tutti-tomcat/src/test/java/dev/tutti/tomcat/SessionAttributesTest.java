package dev.tutti.tomcat;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attributes that are changed in place, removed, refused, or of classes that other nodes do not have. */
class SessionAttributesTest {

    private final Browser browser = new Browser();
    private final Shop shop;

    SessionAttributesTest(@TempDir Path directory) {
        shop = new Shop(directory);
    }

    @AfterEach
    void stop() {
        shop.close();
    }

    /** Object that is not serializable. */
    static final class Plain {
        @Override
        public String toString() {
            return "plain";
        }
    }

    /** Object that is serializable, and not on any list of allowed classes. */
    record Strange(String text) implements Serializable {}

    /** Class loader that does not find one class until it is opened. */
    static final class HiddenLoader extends ClassLoader {
        private final String hidden;
        volatile boolean isOpen;

        HiddenLoader(ClassLoader parent, String hidden) {
            super(parent);
            this.hidden = hidden;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(hidden) && !isOpen) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }
    }

    @Test
    void objectChangedInPlaceIsReplicatedWhenItWasRead() {
        List<TomcatNode> nodes = shop.startThree();
        browser.get(nodes.get(0), "/add?item=1");
        browser.get(nodes.get(0), "/add?item=2");
        assertThat(browser.get(nodes.get(1), "/cart")).isEqualTo("[1, 2]");
        long deltas = (Long) nodes.get(1).manager.status().get("deltas-sent");
        assertThat(browser.get(nodes.get(1), "/cart")).isEqualTo("[1, 2]");
        assertThat(nodes.get(1).manager.status().get("deltas-sent")).as("nothing changed").isEqualTo(deltas);
    }

    @Test
    void objectChangedInPlaceStaysHereWhenOnlyWhatIsSetIsCompared() {
        TomcatNode a = shop.start("a", node -> node.manager.setSaveMode("on-set"));
        TomcatNode b = shop.start("b");
        Shop.awaitView(List.of(a, b));
        browser.get(a, "/add?item=1");
        browser.get(a, "/add?item=2");
        assertThat(browser.get(b, "/cart")).isEqualTo("[1]");
    }

    @Test
    void removedAttributeStaysRemoved() {
        List<TomcatNode> nodes = shop.startThree();
        shop.page("/remove", (request, response) -> request.getSession().removeAttribute("x"));
        browser.get(nodes.get(0), "/set?name=x&value=1");
        browser.get(nodes.get(0), "/set?name=y&value=1");
        browser.get(nodes.get(1), "/remove");
        for (TomcatNode node : nodes) {
            assertThat(browser.get(node, "/get?name=x")).isEqualTo("null");
            assertThat(browser.get(node, "/names")).isEqualTo("[y]");
        }
    }

    @Test
    void attributeThatCannotBeReplicatedStaysHereAndDoesNotHinderOthers() {
        List<TomcatNode> nodes = shop.startThree();
        shop.page("/bad", (request, response) -> {
            request.getSession().setAttribute("plain", new Plain());
            request.getSession().setAttribute("strange", new Strange("x"));
            request.getSession().setAttribute("hidden", new ArrayList<>(List.of(new HashMap<>(Map.of("k", new Plain())))));
            request.getSession().setAttribute("good", "1");
        });
        browser.get(nodes.get(0), "/bad");
        browser.get(nodes.get(0), "/bad");
        assertThat(browser.get(nodes.get(0), "/names")).isEqualTo("[good, hidden, plain, strange]");
        assertThat(browser.get(nodes.get(0), "/get?name=plain")).isEqualTo("plain");
        assertThat(browser.get(nodes.get(1), "/names")).isEqualTo("[good]");
        @SuppressWarnings("unchecked")
        Map<String, Object> reports = (Map<String, Object>) nodes.get(0).manager.status().get("reports");
        assertThat(reports.keySet()).hasSize(3).anyMatch(report -> report.contains("'strange'"));
    }

    @Test
    void classThatIsAllowedIsReplicated() {
        TomcatNode a = shop.start("a", node -> node.manager.setAllowedClasses("dev.tutti.tomcat.**"));
        TomcatNode b = shop.start("b", node -> node.manager.setAllowedClasses("dev.tutti.tomcat.*"));
        TomcatNode c = shop.start("c");
        Shop.awaitView(List.of(a, b, c));
        shop.page("/strange", (request, response) -> request.getSession().setAttribute("x", new Strange("text")));
        browser.get(a, "/strange");
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("Strange[text=text]");
        assertThat(browser.get(c, "/get?name=x")).as("refused here").isEqualTo("null");
        assertThat(c.manager.status()).containsEntry("not-decoded", 1L);
        assertThat(browser.get(b, "/get?name=x")).as("kept for those who can read it").isEqualTo("Strange[text=text]");
    }

    @Test
    void classThatCameLaterIsReadThen() throws Exception {
        TomcatNode a = shop.start("a", node -> node.manager.setAllowedClasses("dev.tutti.tomcat.*"));
        HiddenLoader hiding = new HiddenLoader(getClass().getClassLoader(), Strange.class.getName());
        TomcatNode b = shop.start("b", node -> {
            node.manager.setAllowedClasses("dev.tutti.tomcat.*");
            node.context.setParentClassLoader(hiding);
        });
        Shop.awaitView(List.of(a, b));
        shop.page("/strange", (request, response) -> {
            request.getSession().setAttribute("x", new Strange("text"));
            request.getSession().setAttribute("y", "1");
        });
        browser.get(a, "/strange");
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("null");
        assertThat(browser.get(b, "/get?name=y")).isEqualTo("1");
        hiding.isOpen = true;
        assertThat(browser.get(b, "/get?name=x")).isEqualTo("Strange[text=text]");
    }
}
