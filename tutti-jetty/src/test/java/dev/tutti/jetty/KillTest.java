package dev.tutti.jetty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.testing.Await;
import dev.tutti.testing.Ports;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import shop.Shop;

/** The shop of docs/operating/jetty.md in three processes, of which one is killed under load: the others have all that clients were told. */
@Tag("slow")
class KillTest {

    private static final int USERS = 20;
    private static final int ITEMS = 30;

    @TempDir
    Path directory;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
    }

    /** Starts a shop and returns the address of its pages. */
    private String start(int nodePort, String... seeds) throws IOException {
        int port = Ports.lasting();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                System.getProperty("java.class.path"),
                Shop.class.getName(),
                Integer.toString(port),
                Integer.toString(nodePort)));
        command.addAll(List.of(seeds));
        File log = directory.resolve(port + ".log").toFile();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
        processes.add(process);
        String url = "http://127.0.0.1:" + port + "/shop/cart";
        Await.until(() -> "the shop at " + url + ": " + read(log), () -> {
            assertThat(process.isAlive()).as(read(log)).isTrue();
            try {
                return new Browser().get(url).isEmpty();
            } catch (CompletionException e) {
                return false;
            }
        });
        return url;
    }

    private static String read(File log) {
        try {
            return Files.readString(log.toPath());
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** A user, and the items that the shops have confirmed. */
    private static final class User {
        final Browser browser = new Browser();
        final List<String> confirmed = new ArrayList<>();
        final List<String> unconfirmed = new ArrayList<>();

        /** Adds an item. A shop that is killed with a request under way may have handled it or not. */
        void add(String url, String item) {
            try {
                assertThat(browser.get(url + "?add=" + item)).endsWith(item);
                confirmed.add(item);
            } catch (CompletionException e) {
                unconfirmed.add(item);
            }
        }

        List<String> cart(String url) {
            return new ArrayList<>(List.of(browser.get(url).split(" ")));
        }
    }

    @Test
    void everyConfirmedItemIsAtTheSurvivorsAfterAKill() throws Exception {
        int first = Ports.lasting();
        int second = Ports.lasting();
        List<String> seeds = List.of("127.0.0.1:" + first, "127.0.0.1:" + second);
        String a = start(first);
        String b = start(second, seeds.get(0));
        String c = start(Ports.lasting(), seeds.get(0), seeds.get(1));
        List<User> users = new ArrayList<>();
        CountDownLatch warm = new CountDownLatch(USERS * ITEMS / 3);
        List<CompletableFuture<Void>> load = new ArrayList<>();
        for (int index = 0; index < USERS; index++) {
            User user = new User();
            users.add(user);
            user.add(b, "first");
            Random random = new Random(index);
            load.add(CompletableFuture.runAsync(() -> {
                for (int item = 0; item < ITEMS; item++) {
                    user.add(List.of(a, b, c).get(random.nextInt(3)), "item" + item);
                    warm.countDown();
                }
            }, task -> Thread.ofVirtual().start(task)));
        }
        assertThat(warm.await(60, TimeUnit.SECONDS)).isTrue();
        processes.getFirst().destroyForcibly().waitFor();
        CompletableFuture.allOf(load.toArray(CompletableFuture[]::new)).get(120, TimeUnit.SECONDS);
        for (User user : users) {
            for (String shop : List.of(b, c)) {
                List<String> cart = user.cart(shop);
                cart.removeAll(user.unconfirmed);
                assertThat(cart).containsExactlyElementsOf(user.confirmed);
            }
        }
        assertThat(users.stream().mapToInt(user -> user.confirmed.size()).sum()).isGreaterThan(USERS * ITEMS / 3);
    }

    @Test
    void thePageHasThisShop() throws IOException {
        String page = Files.readString(Path.of("../docs/operating/jetty.md"));
        String shop = Files.readString(Path.of("src/test/java/shop/Shop.java"));
        assertThat(page).contains(shop);
    }
}
