package stranger;

import com.sun.net.httpserver.HttpServer;
import dev.tutti.Group;
import dev.tutti.Node;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Two nodes that find each other by a list of instances, which a server on loopback has in place of the cloud's. */
final class Cloud {

    private static final int PORT = 17_830;

    private static final Map<String, String> ANSWERS = Map.of(
            "/computeMetadata/v1/instance/service-accounts/default/token", "{\"access_token\": \"t\"}",
            "/zone/instances", """
                    {"items": [{"networkInterfaces": [{"networkIP": "127.0.9.1"}]},
                               {"networkInterfaces": [{"networkIP": "127.0.9.2"}]}]}""");

    static void meet() throws IOException, InterruptedException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] answer = ANSWERS.getOrDefault(exchange.getRequestURI().getPath(), "").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer.length == 0 ? 404 : 200, answer.length == 0 ? -1 : answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        CountDownLatch both = new CountDownLatch(2);
        try (Node first = node("127.0.9.1", url);
                Node second = node("127.0.9.2", url);
                Group here = join(first, both);
                Group there = join(second, both)) {
            if (!both.await(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("20 s without a view of two: " + here.view() + ", " + there.view());
            }
        } finally {
            server.stop(0);
        }
        System.out.println("found");
    }

    private static Node node(String address, String url) {
        return Node.tcp(PORT)
                .bind(address)
                .cluster("shop")
                .discover("instances", new InstanceList(url, url + "/zone", "role=shop", PORT))
                .start();
    }

    private static Group join(Node node, CountDownLatch both) {
        return node.group("all")
                .onView(view -> {
                    if (view.size() == 2) {
                        both.countDown();
                    }
                })
                .join();
    }

    private Cloud() {}
}
