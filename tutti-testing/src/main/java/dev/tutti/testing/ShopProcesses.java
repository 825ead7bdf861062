package dev.tutti.testing;

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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Shops in three processes with the same sessions, of which one is killed under load. A shop is a program with these arguments: the port for
 * HTTP, that of its node, and addresses of other nodes. Its page {@code /shop/cart?add=ITEM} answers with the items in the session, separated
 * by spaces.
 */
public final class ShopProcesses implements AutoCloseable {

    private static final int USERS = 20;
    private static final int ITEMS = 30;

    private final Class<?> shop;
    private final Path directory;
    private final List<Process> processes = new ArrayList<>();

    /**
     * @param shop the program's class
     * @param directory where the output of the processes goes
     */
    public ShopProcesses(Class<?> shop, Path directory) {
        this.shop = shop;
        this.directory = directory;
    }

    /** A user, and the items that the shops have confirmed. */
    private static final class User {
        private final Browser browser = new Browser();
        private final List<String> confirmed = new ArrayList<>();
        private final List<String> unconfirmed = new ArrayList<>();

        /** Adds an item. A shop that is killed with a request under way may have handled it or not. */
        void add(String url, String item) {
            try {
                String answer = browser.get(url + "?add=" + item);
                check(answer.endsWith(item), "asked " + url + " to add " + item + ", answered " + answer);
                confirmed.add(item);
            } catch (CompletionException e) {
                unconfirmed.add(item);
            }
        }

        void checkCart(String url) {
            String answer = browser.get(url);
            List<String> cart = new ArrayList<>(List.of(answer.split(" ")));
            cart.removeAll(unconfirmed);
            check(cart.equals(confirmed), "confirmed were " + confirmed + ", and " + url + " has " + answer);
        }
    }

    /**
     * Lets users fill their carts at all three shops, kills the first shop meanwhile, and compares the carts at the others with what users
     * were told.
     *
     * @throws AssertionError if a cart lacks an item that was confirmed, or has it twice or at another place
     */
    public void killOneUnderLoad() throws IOException, InterruptedException, ExecutionException, TimeoutException {
        String first = "127.0.0.1:" + Ports.lasting();
        String second = "127.0.0.1:" + Ports.lasting();
        String a = start(first);
        String b = start(second, first);
        String c = start("127.0.0.1:" + Ports.lasting(), first, second);
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
        check(warm.await(60, TimeUnit.SECONDS), "a third of the items within 60 s");
        processes.getFirst().destroyForcibly().waitFor();
        CompletableFuture.allOf(load.toArray(CompletableFuture[]::new)).get(120, TimeUnit.SECONDS);
        for (User user : users) {
            user.checkCart(b);
            user.checkCart(c);
        }
        int confirmed = users.stream().mapToInt(user -> user.confirmed.size()).sum();
        check(confirmed > USERS * ITEMS / 3, "confirmed items: " + confirmed);
    }

    /** Starts a shop and returns the address of its page. */
    private String start(String node, String... seeds) throws IOException {
        int port = Ports.lasting();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                System.getProperty("java.class.path"),
                shop.getName(),
                Integer.toString(port),
                node.substring(node.indexOf(':') + 1)));
        command.addAll(List.of(seeds));
        File log = directory.resolve(port + ".log").toFile();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
        processes.add(process);
        String url = "http://127.0.0.1:" + port + "/shop/cart";
        Await.until(() -> "the shop at " + url + ": " + read(log), () -> {
            check(process.isAlive(), read(log));
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

    private static void check(boolean isTrue, String failure) {
        if (!isTrue) {
            throw new AssertionError(failure);
        }
    }

    /** Ends the processes. */
    @Override
    public void close() {
        processes.forEach(Process::destroyForcibly);
    }
}
