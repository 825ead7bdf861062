package shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.testing.Await;
import dev.tutti.testing.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Two processes with the shop: one of its own, which is killed, and that of the test. */
@Tag("slow")
class ShopTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final HttpClient client = HttpClient.newHttpClient();
    private Process process;
    private ConfigurableApplicationContext context;
    private String seeds = "";
    private Node third;
    private String a = "";
    private String b = "";

    @BeforeEach
    void start() throws IOException {
        List<Integer> ports = List.of(Ports.lasting(), Ports.lasting(), Ports.lasting());
        seeds = String.join(",", ports.stream().map(port -> "127.0.0.1:" + port).toList());
        int[] web = {Ports.lasting(), Ports.lasting()};
        a = "http://127.0.0.1:" + web[0];
        b = "http://127.0.0.1:" + web[1];
        process = start(arguments("a", ports.get(0), web[0]));
        context = SpringApplication.run(Shop.class, arguments("b", ports.get(1), web[1]).toArray(String[]::new));
        // Of three voters two are left when one is killed.
        third = Node.tcp(ports.get(2)).cluster("shop").name("c").seeds(seeds.split(",")).set("records.directory", "memory").start();
        Coordination.on(third.group("coordination")).founders("a", "b", "c").join();
        Await.until("both shops", () -> isUp(a) && isUp(b));
    }

    @AfterEach
    void stop() {
        process.destroyForcibly();
        if (context != null) {
            context.close();
        }
        if (third != null) {
            third.close();
        }
        client.close();
    }

    private List<String> arguments(String name, int port, int web) {
        return List.of(
                "--server.port=" + web,
                "--spring.main.banner-mode=off",
                "--tutti.name=" + name,
                "--tutti.bind.port=" + port,
                "--tutti.discovery.seeds=" + seeds);
    }

    private static Process start(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx192m",
                "-XX:+UseSerialGC",
                // The process does not live long enough for better code to pay off.
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Shop.class.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Path.of("target", "shop-a.log").toFile())
                .start();
    }

    private HttpResponse<String> send(String method, String address, String cookie) throws IOException {
        try {
            return client.send(
                    HttpRequest.newBuilder(URI.create(address))
                            .timeout(PATIENCE)
                            .method(method, BodyPublishers.noBody())
                            .header("Cookie", cookie)
                            .build(),
                    BodyHandlers.ofString());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String get(String address, String cookie) {
        try {
            HttpResponse<String> response = send("GET", address, cookie);
            assertThat(response.statusCode()).as(address).isEqualTo(200);
            return response.body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isUp(String shop) {
        assertThat(process.isAlive()).as("see target/shop-a.log").isTrue();
        try {
            return send("POST", shop + "/order/first", "x=y").statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    /** Orders one thing after the other until {@code isEnough}, and returns those that were confirmed. */
    private CompletableFuture<Void> orders(String shop, String name, List<String> confirmed, AtomicBoolean isEnough) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                for (int number = 0; !isEnough.get(); number++) {
                    String item = name + "-" + number;
                    if (send("POST", shop + "/order/" + item, "x=y").statusCode() == 200) {
                        confirmed.add(item);
                    }
                }
                ended.complete(null);
            } catch (IOException e) {
                // Killed.
                ended.complete(null);
            }
        });
        return ended;
    }

    @Test
    void nothingIsLostWhenAnInstanceIsKilled() throws Exception {
        String cookie = send("POST", a + "/cart/item-0", "x=y").headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
        for (int item = 1; item < 20; item++) {
            assertThat(send("POST", (item % 2 == 0 ? a : b) + "/cart/item-" + item, cookie).statusCode()).isEqualTo(200);
        }
        String price = get(a + "/price/book", cookie);
        Await.until("the price at the other one", () -> get(b + "/price/book", cookie).equals(price));

        List<String> atA = new CopyOnWriteArrayList<>();
        List<String> atB = new CopyOnWriteArrayList<>();
        AtomicBoolean isEnough = new AtomicBoolean();
        CompletableFuture<Void> endOfA = orders(a, "a", atA, isEnough);
        CompletableFuture<Void> endOfB = orders(b, "b", atB, isEnough);
        Await.until("orders at both", () -> atA.size() >= 10 && atB.size() >= 10);
        assertThat(send("POST", a + "/cart/last", cookie).statusCode()).isEqualTo(200);
        process.destroyForcibly();
        endOfA.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        int before = atB.size();
        Await.until("orders, under the lock, at the one that is left", () -> atB.size() >= before + 10);
        isEnough.set(true);
        endOfB.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

        String cart = get(b + "/cart", cookie);
        for (int item = 0; item < 20; item++) {
            assertThat(cart).contains("\"item-" + item + "\"");
        }
        assertThat(cart).contains("\"last\"");
        assertThat(get(b + "/price/book", cookie)).isEqualTo(price);
        String orders = get(b + "/orders", cookie);
        for (String item : atA) {
            assertThat(orders).containsOnlyOnce("\"" + item + " ");
        }
        for (String item : atB) {
            assertThat(orders).containsOnlyOnce("\"" + item + " ");
        }
    }
}
