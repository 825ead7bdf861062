package dev.tutti.tomcat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are killed under load: everything that a client was told is at the remaining ones. */
@Tag("slow")
class KillTest {

    private static final int USERS = 40;

    private final List<Shop> shops = new ArrayList<>();

    @TempDir
    Path directory;

    private record Shop(Process process, int port, String address, AtomicBoolean isKilled) {}

    private Shop start(String name, String seeds) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                System.getProperty("java.class.path"),
                ShopNode.class.getName(),
                name,
                directory.resolve(name).toString()));
        if (!seeds.isEmpty()) {
            command.add(seeds);
        }
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(new File(directory.toFile(), name + ".err"))
                    .start();
            BufferedReader output =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            String[] ready = output.readLine().split(" ");
            Shop shop = new Shop(process, Integer.parseInt(ready[1]), ready[2], new AtomicBoolean());
            shops.add(shop);
            return shop;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterEach
    void killAll() {
        shops.forEach(shop -> shop.process.destroyForcibly());
    }

    /** User that fills a cart, and knows the items that the shop has confirmed. */
    private static final class User {
        final HttpClient http;
        final List<String> confirmed = new ArrayList<>();
        String cookie = "";
        final List<String> unconfirmed = new ArrayList<>();

        User(HttpClient http) {
            this.http = http;
        }

        String get(Shop shop, String page) throws IOException, InterruptedException {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + shop.port + page))
                    .timeout(Duration.ofSeconds(20));
            if (!cookie.isEmpty()) {
                request.header("Cookie", cookie);
            }
            HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            response.headers().firstValue("Set-Cookie").ifPresent(set -> cookie = set.split(";", 2)[0]);
            return response.body();
        }

        /** Adds an item. A shop killed with a request under way may have handled it or not; every other one answers. */
        void add(Shop shop, String item) throws IOException, InterruptedException {
            try {
                get(shop, "/add?item=" + item);
                confirmed.add(item);
            } catch (IOException e) {
                if (!shop.isKilled.get()) {
                    throw e;
                }
                unconfirmed.add(item);
            }
        }
    }

    @Test
    void everyConfirmedItemIsAtTheSurvivorsAfterAKill() throws Exception {
        Shop a = start("a", "");
        Shop b = start("b", a.address);
        Shop c = start("c", a.address + "," + b.address);
        List<User> users = new ArrayList<>();
        try (HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build()) {
            for (int index = 0; index < USERS; index++) {
                users.add(new User(http));
            }
            for (User user : users) {
                user.add(b, "first");
            }
            CountDownLatch warm = new CountDownLatch(USERS * 3);
            AtomicReference<List<Shop>> known = new AtomicReference<>(List.of(a, b, c));
            List<CompletableFuture<Void>> load = new ArrayList<>();
            for (int index = 0; index < USERS; index++) {
                User user = users.get(index);
                Random random = new Random(index);
                CompletableFuture<Void> done = new CompletableFuture<>();
                load.add(done);
                Thread.ofVirtual().start(() -> {
                    try {
                        for (int item = 0; item < 20; item++) {
                            List<Shop> alive = known.get();
                            user.add(alive.get(random.nextInt(alive.size())), "" + item);
                            warm.countDown();
                        }
                        done.complete(null);
                    } catch (IOException | InterruptedException | RuntimeException e) {
                        done.completeExceptionally(e);
                    }
                });
            }
            assertThat(warm.await(120, TimeUnit.SECONDS)).isTrue();
            a.isKilled.set(true);
            a.process.destroyForcibly().waitFor();
            List<Shop> left = List.of(b, c);
            known.set(left);
            CompletableFuture.allOf(load.toArray(CompletableFuture[]::new)).get(120, TimeUnit.SECONDS);
            for (User user : users) {
                for (Shop shop : left) {
                    List<String> cart = new ArrayList<>(List.of(
                            user.get(shop, "/cart").replaceAll("[\\[\\]]", "").split(", ")));
                    cart.removeAll(user.unconfirmed);
                    assertThat(cart).containsExactlyElementsOf(user.confirmed);
                }
            }
        }
    }
}
