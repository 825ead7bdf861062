package dev.tutti.tomcat;

import static dev.tutti.testing.Await.until;

import dev.tutti.tomcat.TomcatNode.Page;
import dev.tutti.tomcat.replication.InMemoryCluster;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Tomcats in one process, real HTTP, and a group that can be cut and stopped; the pages are those of a shop. */
final class Shop implements AutoCloseable {

    final InMemoryCluster cluster = InMemoryCluster.threaded();
    final List<TomcatNode> running = new ArrayList<>();
    private final Map<String, Page> pages = new ConcurrentHashMap<>();
    private final Path directory;

    Shop(Path directory) {
        this.directory = directory;
        pages.put("/set", (request, response) -> {
            request.getSession().setAttribute(request.getParameter("name"), request.getParameter("value"));
            response.getWriter().print("set");
        });
        pages.put("/get", (request, response) -> {
            HttpSession session = request.getSession(false);
            response.getWriter()
                    .print(session == null ? "no session" : session.getAttribute(request.getParameter("name")));
        });
        pages.put("/names", (request, response) ->
                response.getWriter().print(new TreeSet<>(Collections.list(request.getSession().getAttributeNames()))));
        pages.put("/add", (request, response) -> response.getWriter().print(add(request)));
        pages.put("/cart", (request, response) -> {
            HttpSession session = request.getSession(false);
            response.getWriter().print(session == null ? "no session" : session.getAttribute("cart"));
        });
        pages.put("/end", (request, response) -> request.getSession().invalidate());
    }

    /** Puts an item into the cart, in place if there is one. */
    private static int add(HttpServletRequest request) {
        HttpSession session = request.getSession();
        @SuppressWarnings("unchecked")
        List<String> cart = (List<String>) session.getAttribute("cart");
        if (cart == null) {
            cart = new ArrayList<>();
            session.setAttribute("cart", cart);
        }
        cart.add(request.getParameter("item"));
        return cart.size();
    }

    void page(String path, Page page) {
        pages.put(path, page);
    }

    TomcatNode start(String name) {
        return start(name, node -> {});
    }

    TomcatNode start(String name, Consumer<TomcatNode> settings) {
        TuttiManager manager = TomcatNode.patientManager(cluster.source(name));
        TomcatNode node = new TomcatNode(name, directory, manager, pages, settings);
        running.add(node);
        return node;
    }

    List<TomcatNode> startThree() {
        List<TomcatNode> nodes = List.of(start("a"), start("b"), start("c"));
        awaitView(nodes);
        return nodes;
    }

    static void awaitView(List<TomcatNode> nodes) {
        for (TomcatNode node : nodes) {
            until(
                    node.name + " sees " + nodes.size() + " members",
                    () -> ((List<?>) node.manager.status().get("members")).size() == nodes.size()
                            && node.manager.status().get("state-complete").equals(true));
        }
    }

    /** Crashes a node as seen by the others: they no longer hear of it, and it gets no requests. */
    void kill(TomcatNode node) {
        cluster.crash(node.name);
    }

    @Override
    public void close() {
        running.forEach(TomcatNode::close);
    }
}
