package shop;

import dev.tutti.Node;
import dev.tutti.undertow.TuttiSessions;
import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.servlet.Servlets;
import io.undertow.servlet.api.DeploymentInfo;
import io.undertow.servlet.api.DeploymentManager;
import java.util.Arrays;

/** An Undertow whose sessions survive it. Arguments: the port for HTTP, that of the node, and addresses of other nodes. */
public final class Shop {

    public static void main(String[] arguments) throws Exception {
        String[] seeds = Arrays.copyOfRange(arguments, 2, arguments.length);
        Node node = Node.tcp(Integer.parseInt(arguments[1])).seeds(seeds).start();
        TuttiSessions sessions = new TuttiSessions(node).allowedClasses("shop.*");
        DeploymentInfo info = Servlets.deployment().setDeploymentName("shop").setContextPath("/shop")
                .setClassLoader(Shop.class.getClassLoader())
                .setSessionManagerFactory(sessions.servlets())
                .addServlet(Servlets.servlet(Cart.class).addMapping("/cart"));
        DeploymentManager shop = Servlets.defaultContainer().addDeployment(info);
        shop.deploy();
        Undertow server = Undertow.builder()
                .addHttpListener(Integer.parseInt(arguments[0]), "127.0.0.1")
                .setHandler(Handlers.path().addPrefixPath("/shop", shop.start())) // has the sessions of the others when it returns
                .build();
        server.start();
    }
}
