package dev.tutti.tomcat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.testing.Await;
import jakarta.servlet.http.HttpSession;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process is stopped during a request, while the client goes on at another one. */
@Tag("slow")
class PauseTest {

    private final List<Process> processes = new ArrayList<>();
    private String cookie = "";

    @TempDir
    Path directory;

    private record Shop(Process process, int port, String address) {}

    private Shop start(String name, String seeds) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                System.getProperty("java.class.path"),
                PauseTest.class.getName(),
                name,
                directory.resolve(name).toString()));
        if (!seeds.isEmpty()) {
            command.add(seeds);
        }
        Process process = new ProcessBuilder(command)
                .redirectError(directory.resolve(name + ".err").toFile())
                .start();
        processes.add(process);
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String[] ready = output.readLine().split(" ");
        return new Shop(process, Integer.parseInt(ready[1]), ready[2]);
    }

    /** Tomcat in a process of its own, with default times, and a page that stops midway until another is requested. */
    public static void main(String[] arguments) throws Exception {
        CountDownLatch holds = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Map<String, TomcatNode.Page> pages = new HashMap<>(ShopNode.pages());
        pages.put("/hold", (request, response) -> {
            HttpSession session = request.getSession();
            List<Object> cart = new ArrayList<>((List<?>) session.getAttribute("cart"));
            holds.countDown();
            goesOn.await(60, TimeUnit.SECONDS);
            cart.add("late");
            session.setAttribute("cart", cart);
        });
        pages.put("/holds", (request, response) -> {
            holds.await(20, TimeUnit.SECONDS);
            response.getWriter().print("holds");
        });
        pages.put("/go-on", (request, response) -> {
            goesOn.countDown();
            response.getWriter().print("goes on");
        });
        String[] seeds = arguments.length > 2 ? arguments[2].split(",") : new String[0];
        Path directory = Files.createDirectories(Path.of(arguments[1]));
        Node node = Node.tcp(0).name(arguments[0]).seeds(seeds).start();
        TuttiManager manager = new TuttiManager(node);
        pages.put("/members", (request, response) ->
                response.getWriter().print(((List<?>) manager.status().get("members")).size()));
        TomcatNode tomcat = new TomcatNode(arguments[0], directory, manager, pages, none -> {});
        System.out.println("ready " + tomcat.port() + " " + node.address());
        System.in.transferTo(java.io.OutputStream.nullOutputStream());
        System.exit(0);
    }

    @AfterEach
    void killAll() {
        processes.forEach(Process::destroyForcibly);
    }

    private CompletableFuture<HttpResponse<String>> send(HttpClient http, Shop shop, String page) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + shop.port + page))
                .timeout(Duration.ofSeconds(60));
        if (!cookie.isEmpty()) {
            request.header("Cookie", cookie);
        }
        return http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private String get(HttpClient http, Shop shop, String page) {
        HttpResponse<String> response = send(http, shop, page).join();
        response.headers().firstValue("Set-Cookie").ifPresent(set -> cookie = set.split(";", 2)[0]);
        return response.body();
    }

    private static void signal(Shop shop, String name) throws Exception {
        new ProcessBuilder("kill", "-" + name, Long.toString(shop.process.pid())).start().waitFor();
    }

    @Test
    void stoppedProcessOverwritesNothingThatWasConfirmedMeanwhile() throws Exception {
        Shop a = start("a", "");
        Shop b = start("b", a.address);
        try (HttpClient http = HttpClient.newHttpClient()) {
            Await.until("two members", () -> get(http, a, "/members").equals("2"));
            get(http, a, "/add?item=first");
            CompletableFuture<HttpResponse<String>> abandoned = send(http, a, "/hold");
            assertThat(get(http, a, "/holds")).isEqualTo("holds");
            signal(a, "STOP");
            List<String> confirmed = new ArrayList<>(List.of("first"));
            for (int item = 0; item < 10; item++) {
                assertThat(get(http, b, "/add?item=" + item)).isEqualTo("" + (item + 2));
                confirmed.add("" + item);
            }
            Await.until("a is excluded", () -> get(http, b, "/members").equals("1"));
            signal(a, "CONT");
            CompletableFuture<HttpResponse<String>> readAtOnce = send(http, a, "/cart");
            assertThat(send(http, a, "/go-on").join().body()).isEqualTo("goes on");
            assertThat(abandoned.join().statusCode()).isEqualTo(503);
            assertThat(readAtOnce.join().body()).as("waits for contact").isEqualTo(confirmed.toString());
            Await.until("a is back", () -> get(http, b, "/members").equals("2"));
            for (Shop shop : List.of(a, b)) {
                Await.until("same", () -> get(http, shop, "/cart").equals(confirmed.toString()));
            }
        }
    }
}
