package dev.tutti.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.coordination.Coordination;
import dev.tutti.blocks.coordination.FencedLock;
import dev.tutti.blocks.map.ReplicatedMap;
import dev.tutti.blocks.queue.WorkQueue;
import dev.tutti.internal.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Locks, tasks and keys of maps, as the console shows them. */
@Timeout(120)
class DataTest {

    private static final String PASSWORD = "correct horse battery";
    private static final UserFile USERS = UserFile.empty().with("ann", Role.OPERATOR, PASSWORD, 1_000).with("bob", Role.READER, PASSWORD, 1_000);

    @TempDir
    private Path directory;

    private Node node;
    private Console console;
    private HttpClient client;

    @BeforeEach
    void prepare() throws IOException {
        USERS.write(directory.resolve("users"));
        client = HttpClient.newHttpClient();
    }

    private void start(boolean showsContent) {
        start("operator.content", showsContent);
    }

    private void start(String setting, boolean isSet) {
        node = Node.tcp(0).name("n1").cluster("data").set("records.directory", "memory").set(setting, Boolean.toString(isSet)).start();
        console = Console.on(node).port(0).set("console.users-file", directory.resolve("users").toString()).start();
    }

    @AfterEach
    void stop() {
        client.close();
        console.close();
        node.close();
    }

    private String logIn(String user) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(console.address() + "login"))
                .POST(HttpRequest.BodyPublishers.ofString("user=" + user + "&password=" + PASSWORD.replace(' ', '+')))
                .build();
        String header = client.send(request, HttpResponse.BodyHandlers.ofString()).headers().firstValue("set-cookie").orElseThrow();
        return header.substring(0, header.indexOf(';'));
    }

    private HttpResponse<String> get(String cookie, String path) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(console.address() + path)).header("Cookie", cookie).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private Map<?, ?> document(String cookie, String path) throws IOException, InterruptedException {
        HttpResponse<String> response = get(cookie, path);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return (Map<?, ?>) Json.parse(response.body());
    }

    @Test
    void locksShowTheirHoldersAndWhoWaits() throws Exception {
        start(false);
        try (Coordination coordination = Coordination.on(node.group("locks")).founders("n1").join()) {
            FencedLock lock = coordination.lock("payments");
            assertThat(lock.tryAcquire()).isPresent();
            String bob = logIn("bob");
            assertThat(document(bob, "api/views?member=n1").get("views")).isEqualTo(Map.of("locks", List.of("locks")));
            Map<?, ?> page = document(bob, "api/data?member=n1&group=locks&kind=locks");
            assertThat(page.get("rows")).isEqualTo(List.of(List.of("lock payments", "1", "n1", "")));
            assertThat(page.get("next")).isEqualTo("");
        }
        assertThat(document(logIn("bob"), "api/views?member=n1").get("views")).isEqualTo(Map.of());
    }

    @Test
    void tasksShowTheirHoldersAndNoValues() throws Exception {
        start(false);
        try (WorkQueue<String> queue = WorkQueue.on(node.group("work"), Codec.TEXT).join()) {
            queue.offer("a secret value");
            queue.offer("another");
            assertThat(queue.take(Duration.ofSeconds(10))).isNotNull();
            HttpResponse<String> response = get(logIn("bob"), "api/data?member=n1&group=work&kind=tasks");
            assertThat(response.body()).contains("held by n1").contains("waits").doesNotContain("secret");
            assertThat((List<?>) ((Map<?, ?>) Json.parse(response.body())).get("rows")).hasSize(2);
        }
    }

    @Test
    void keysOfMapsAreShownByPageToOperatorsAlone() throws Exception {
        start(true);
        try (ReplicatedMap<String, String> map = ReplicatedMap.on(node.group("carts"), Codec.TEXT, Codec.TEXT).lastWriter()) {
            for (int key = 0; key < 120; key++) {
                map.put("key " + key, "a secret value");
            }
            String ann = logIn("ann");
            List<String> keys = new ArrayList<>();
            String after = "";
            int pages = 0;
            do {
                Map<?, ?> page = document(ann, "api/data?member=n1&group=carts&kind=keys&after=" + after);
                assertThat(page.toString()).doesNotContain("secret");
                ((List<?>) page.get("rows")).forEach(row -> keys.add(String.valueOf(((List<?>) row).getFirst())));
                after = String.valueOf(page.get("next"));
                pages++;
            } while (!after.isEmpty());
            assertThat(pages).isEqualTo(3);
            assertThat(keys).hasSize(120).doesNotHaveDuplicates().contains("key 0", "key 119");
            HttpResponse<String> refused = get(logIn("bob"), "api/data?member=n1&group=carts&kind=keys");
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).doesNotContain("key 0");
            assertThat(document(ann, "api/data?member=n1&group=carts&kind=keys&after=-1").toString()).contains("no position");
        }
    }

    @Test
    void entriesOfMapsAreShownAndFoundByKeysToOperatorsAlone() throws Exception {
        start("operator.values", true);
        try (ReplicatedMap<String, byte[]> map = ReplicatedMap.on(node.group("carts"), Codec.TEXT, Codec.BYTES).lastWriter()) {
            for (int key = 0; key < 120; key++) {
                map.put("cart/" + key, ("two violins for " + key).getBytes(StandardCharsets.UTF_8));
            }
            map.put("blob/1", new byte[] {(byte) 0xff, 0, 1, 2});
            String ann = logIn("ann");
            Map<?, ?> page = document(ann, "api/data?member=n1&group=carts&kind=entries&prefix=cart/11");
            assertThat(page.get("columns")).isEqualTo(List.of("Key", "Value", "Type", "Size"));
            assertThat((List<?>) page.get("rows")).hasSize(11);
            assertThat(page.get("rows").toString()).contains("[cart/110, two violins for 110, byte[], 19 bytes]");
            assertThat(page.get("next")).isEqualTo("");
            Map<?, ?> first = document(ann, "api/data?member=n1&group=carts&kind=entries&prefix=cart/");
            assertThat((List<?>) first.get("rows")).hasSize(50);
            Map<?, ?> last = document(ann, "api/data?member=n1&group=carts&kind=entries&prefix=cart/&after=100");
            assertThat((List<?>) last.get("rows")).hasSize(20);
            assertThat(document(ann, "api/data?member=n1&group=carts&kind=entries&prefix=blob").get("rows"))
                    .isEqualTo(List.of(List.of("blob/1", "ff000102", "byte[]", "4 bytes")));
            assertThat(document(ann, "api/data?member=n1&group=carts&kind=entries&prefix=nothing").get("rows")).isEqualTo(List.of());
            HttpResponse<String> refused = get(logIn("bob"), "api/data?member=n1&group=carts&kind=entries");
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).doesNotContain("violins", "cart/");
        }
    }

    @Test
    void valuesAreKeptBackWhereOnlyKeysArePermitted() throws Exception {
        start(true);
        try (ReplicatedMap<String, String> map = ReplicatedMap.on(node.group("carts"), Codec.TEXT, Codec.TEXT).lastWriter()) {
            map.put("key", "a secret value");
            String ann = logIn("ann");
            assertThat(document(ann, "api/views?member=n1").get("views")).isEqualTo(Map.of("carts", List.of("keys")));
            Map<?, ?> refused = document(ann, "api/data?member=n1&group=carts&kind=entries");
            assertThat(refused.get("error").toString()).contains("operator.values is not set");
            assertThat(refused.toString()).doesNotContain("secret");
        }
    }

    @Test
    void keysOfMapsAreKeptBackUnlessASettingPermitsThem() throws Exception {
        start(false);
        try (ReplicatedMap<String, String> map = ReplicatedMap.on(node.group("carts"), Codec.TEXT, Codec.TEXT).lastWriter()) {
            map.put("key", "value");
            String ann = logIn("ann");
            assertThat(document(ann, "api/views?member=n1").get("views")).isEqualTo(Map.of());
            Map<?, ?> refused = document(ann, "api/data?member=n1&group=carts&kind=keys");
            assertThat(refused.get("error").toString()).contains("operator.content");
            assertThat(refused.containsKey("rows")).isFalse();
        }
    }
}
