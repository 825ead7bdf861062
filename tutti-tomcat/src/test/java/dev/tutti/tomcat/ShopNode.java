package dev.tutti.tomcat;

import dev.tutti.Node;
import dev.tutti.tomcat.TomcatNode.Page;
import jakarta.servlet.http.HttpSession;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Process of its own with one Tomcat and a cart, for tests that kill it. */
final class ShopNode {

    private ShopNode() {}

    static Map<String, Page> pages() {
        return Map.of(
                "/add", (request, response) -> {
                    HttpSession session = request.getSession();
                    @SuppressWarnings("unchecked")
                    List<String> cart = (List<String>) session.getAttribute("cart");
                    if (cart == null) {
                        cart = new ArrayList<>();
                        session.setAttribute("cart", cart);
                    }
                    synchronized (cart) {
                        cart.add(request.getParameter("item"));
                    }
                    response.getWriter().print(cart.size());
                },
                "/cart", (request, response) -> {
                    HttpSession session = request.getSession(false);
                    response.getWriter().print(session == null ? "no session" : session.getAttribute("cart"));
                },
                "/fill", (request, response) -> {
                    byte[] bytes = new byte[Integer.parseInt(request.getParameter("bytes"))];
                    request.getSession().setAttribute("bytes", bytes);
                    request.getSession().setAttribute("seed", request.getParameter("seed"));
                },
                "/filled", (request, response) -> {
                    HttpSession session = request.getSession(false);
                    response.getWriter()
                            .print(session == null
                                    ? "no session"
                                    : ((byte[]) session.getAttribute("bytes")).length + " of " + session.getAttribute("seed"));
                });
    }

    /** Runs a shop. Arguments: name, directory, seeds. Prints "ready", its HTTP port and its node's address. */
    public static void main(String[] arguments) throws Exception {
        Path directory = Files.createDirectories(Path.of(arguments[1]));
        String[] seeds = arguments.length > 2 ? arguments[2].split(",") : new String[0];
        Node node = Node.tcp(0).name(arguments[0]).seeds(seeds).start();
        TomcatNode tomcat =
                new TomcatNode(arguments[0], directory, TomcatNode.patientManager(node), pages(), none -> {});
        System.out.println("ready " + tomcat.port() + " " + node.address());
        System.in.transferTo(java.io.OutputStream.nullOutputStream());
        System.exit(0);
    }
}
