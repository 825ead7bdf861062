package shop;

import dev.tutti.Node;
import dev.tutti.jetty.TuttiSessions;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;

/** A Jetty whose sessions survive it. Arguments: the port for HTTP, that of the node, and addresses of other nodes. */
public final class Shop {

    public static void main(String[] arguments) throws Exception {
        String[] seeds = Arrays.copyOfRange(arguments, 2, arguments.length);
        try (Node node = Node.tcp(Integer.parseInt(arguments[1])).seeds(seeds).start()) {
            ServletContextHandler shop = new ServletContextHandler("/shop", ServletContextHandler.SESSIONS);
            shop.addServlet(Cart.class, "/cart");
            Server server = new Server(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])));
            server.setOpenEarly(false); // no request comes before the sessions of the others are here
            server.addBean(new TuttiSessions(node).allowedClasses("shop.*"));
            server.setHandler(shop);
            server.start();
            server.join();
        }
    }
}
