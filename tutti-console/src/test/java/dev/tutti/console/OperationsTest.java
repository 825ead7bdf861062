package dev.tutti.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Event;
import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.blocks.inspection.Inspection;
import dev.tutti.blocks.presence.Attributes;
import dev.tutti.internal.Json;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Operations on members by the console: with permission, and never without it. */
@Timeout(120)
class OperationsTest {

    private static final String PASSWORD = "correct horse battery";
    private static final UserFile USERS = UserFile.empty().with("ann", Role.OPERATOR, PASSWORD, 1_000).with("bob", Role.READER, PASSWORD, 1_000);

    @TempDir
    private Path directory;

    private final List<Node> nodes = new ArrayList<>();
    private final List<Group> groups = new ArrayList<>();
    private final List<Inspection> inspections = new ArrayList<>();
    private Path key;
    private Path users;
    private Console console;
    private HttpClient client;

    @BeforeEach
    void prepare() throws IOException {
        key = secret("key", "0123456789abcdef0123456789abcdef");
        users = directory.resolve("users");
        USERS.write(users);
        client = HttpClient.newHttpClient();
    }

    @AfterEach
    void stop() {
        client.close();
        if (console != null) {
            console.close();
        }
        nodes.forEach(Node::close);
    }

    private Path secret(String name, String text) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    /** Starts nodes n1, n2 and so on, with these files of keys; those with an empty name have none. The first serves the console. */
    private void cluster(Object... keys) {
        for (Object each : keys) {
            NodeBuilder builder = Node.tcp(0).name("n" + (nodes.size() + 1)).cluster("operations").set("operator.key-file", each.toString());
            if (!nodes.isEmpty()) {
                builder = builder.seeds(nodes.getFirst().address());
            }
            Node node = builder.start();
            nodes.add(node);
            groups.add(node.group("orders").join());
            inspections.add(Inspection.open(node));
        }
        groups.forEach(group -> assertThat(group.awaitMembers(keys.length, Duration.ofSeconds(30))).isTrue());
        Await.until(() -> "all take part in inspection", () -> inspections.getFirst().view().size() == keys.length);
        console = Console.on(nodes.getFirst())
                .inspection(inspections.getFirst())
                .port(0)
                .set("console.users-file", users.toString())
                .set("console.interval", "200 ms")
                .start();
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder post(String path, String body) {
        return HttpRequest.newBuilder(URI.create(console.address() + path)).POST(HttpRequest.BodyPublishers.ofString(body));
    }

    private HttpResponse<String> operate(String user, String body) throws IOException, InterruptedException {
        String header = send(post("login", "user=" + user + "&password=" + PASSWORD.replace(' ', '+')))
                .headers().firstValue("set-cookie").orElseThrow();
        String cookie = header.substring(0, header.indexOf(';'));
        HttpResponse<String> session =
                send(HttpRequest.newBuilder(URI.create(console.address() + "api/session")).header("Cookie", cookie));
        String proof = String.valueOf(((Map<?, ?>) Json.parse(session.body())).get("proof"));
        return send(post("api/operation", body).header("Cookie", cookie).header("X-Tutti-Proof", proof));
    }

    private Map<?, ?> done(String body) throws IOException, InterruptedException {
        HttpResponse<String> response = operate("ann", body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return (Map<?, ?>) Json.parse(response.body());
    }

    private static List<Event> operations(Node node) {
        return node.events(0).list().stream().filter(event -> event.kind() == Event.Kind.OPERATION).toList();
    }

    private long counter(String name) {
        return console.status().getOrDefault(name, -1L);
    }

    @Test
    void aMemberLeavesAGroupAndItsEventsNameTheOperator() throws Exception {
        cluster(key, key);
        assertThat(done("operation=leave&member=n2&group=orders").get("done")).isEqualTo(true);
        Await.until(() -> "n1 is alone", () -> groups.getFirst().view().size() == 1);
        assertThat(operations(nodes.get(1))).singleElement().satisfies(event -> {
            assertThat(event.details()).extractingByKey("user").isEqualTo("ann at the console of n1");
            assertThat(event.details()).extractingByKey("operation").isEqualTo("leave");
            assertThat(event.group()).isEqualTo("orders");
            assertThat(event.text()).contains("ann").contains("leave group orders").contains("done");
        });
        assertThat(counter("operations")).isEqualTo(1);
        assertThat(nodes.get(1).inspection().part("operations").value("done")).isEqualTo(1);
    }

    @Test
    void aReaderMayNotAndNobodyIsAsked() throws Exception {
        cluster(key, key);
        for (String body : List.of(
                "operation=leave&member=n2&group=orders", "operation=stop&member=n2", "operation=exclude&member=n2", "operation=drain&member=n2",
                "operation=change&member=*&group=orders&setting=send-timeout&value=1+s", "operation=set-attribute&member=*&attribute=zone&value=a",
                "operation=remove-attribute&member=n2&attribute=zone")) {
            HttpResponse<String> refused = operate("bob", body);
            assertThat(refused.statusCode()).as(body).isEqualTo(403);
            assertThat(refused.body()).contains("reader");
        }
        assertThat(counter("requests-not-permitted")).isEqualTo(7);
        assertThat(groups.get(1).view().size()).isEqualTo(2);
        assertThat(operations(nodes.get(1))).isEmpty();
    }

    @Test
    void aMemberWithoutAKeyPermitsNothing() throws Exception {
        cluster(key, "");
        Map<?, ?> answer = done("operation=leave&member=n2&group=orders");
        assertThat(answer.get("done")).isEqualTo(false);
        assertThat(answer.toString()).contains("operator.key-file is not set");
        assertThat(groups.get(1).view().size()).isEqualTo(2);
        assertThat(counter("operations-failed")).isEqualTo(1);
    }

    @Test
    void aConsoleWithoutOrWithAnotherKeyChangesNothingAndTheMemberSaysSo() throws Exception {
        cluster("", key);
        assertThat(done("operation=leave&member=n2&group=orders").toString()).contains("n1 has no key");
        console.close();
        nodes.forEach(Node::close);
        nodes.clear();
        groups.clear();
        inspections.clear();
        cluster(secret("other", "ffffffffffffffffffffffffffffffff"), key);
        assertThat(done("operation=leave&member=n2&group=orders").toString()).contains("the key of operators is another one");
        assertThat(groups.get(1).view().size()).isEqualTo(2);
        assertThat(operations(nodes.get(1))).singleElement().satisfies(event -> assertThat(event.text()).contains("refused"));
        assertThat(nodes.get(1).inspection().part("operations").value("refused")).isEqualTo(1);
    }

    @Test
    void aSettingIsChangedAtAllMembersOfAGroup() throws Exception {
        cluster(key, key, key);
        Map<?, ?> answer = done("operation=change&member=*&group=orders&setting=send-timeout&value=1234+ms");
        assertThat(answer.get("done")).as(answer.toString()).isEqualTo(true);
        for (Node node : nodes) {
            Map<?, ?> group = (Map<?, ?>) ((List<?>) node.inspection().document().get("groups")).getFirst();
            assertThat(((Map<?, ?>) group.get("settings")).get("send-timeout")).isEqualTo("1234 ms");
        }
        assertThat(done("operation=change&member=n1&group=orders&setting=window&value=1+MiB").toString())
                .contains("can't be changed").contains("send-timeout");
        assertThat(done("operation=change&member=n1&group=orders&setting=send-timeout&value=soon").get("done")).isEqualTo(false);
        assertThat(done("operation=change&member=n1&group=tutti.inspection&setting=send-timeout&value=1+s").toString()).contains("own");
    }

    @Test
    void anAttributeIsChangedAtOneMemberOrAtAllThatAnnounceAny() throws Exception {
        cluster(key, key, key);
        // The third announces none.
        Attributes first = Attributes.join(nodes.get(0).group("attributes"));
        Attributes second = Attributes.join(nodes.get(1).group("attributes"));
        Await.until("both are there", () -> first.group().view().size() == 2);
        assertThat(done("operation=set-attribute&member=n2&attribute=zone&value=eu-1b").toString()).contains("attribute zone of n2 is eu-1b");
        Await.until("n1 knows it", () -> first.of(second.group().self()).equals(Map.of("zone", "eu-1b")));
        assertThat(first.own()).isEmpty();
        assertThat(operations(nodes.get(1))).singleElement().satisfies(event -> {
            assertThat(event.details()).extractingByKey("user").isEqualTo("ann at the console of n1");
            assertThat(event.details()).extractingByKey("operation").isEqualTo("set-attribute");
            assertThat(event.text()).contains("set attribute zone to 'eu-1b'");
        });
        Await.until("the console knows who announces", () -> memberOf("n1").get("announces").equals(true) && memberOf("n2").get("attributes").equals(Map.of("zone", "eu-1b")));
        Map<?, ?> all = done("operation=set-attribute&member=*&attribute=canary&value=yes");
        assertThat(all.get("done")).as(all.toString()).isEqualTo(true);
        assertThat((List<?>) all.get("outcomes")).hasSize(2);
        Await.until("both have it", () -> "yes".equals(first.own().get("canary")) && "yes".equals(second.own().get("canary")));
        assertThat(operations(nodes.get(2))).isEmpty();
        Map<?, ?> removed = done("operation=remove-attribute&member=*&attribute=zone");
        assertThat(removed.get("done")).isEqualTo(true);
        assertThat(removed.toString()).contains("n2 has no attribute zone any more", "n1 had no attribute zone");
        Await.until("it is gone", () -> second.own().equals(Map.of("canary", "yes")));
    }

    @Test
    void anAttributeThatCanNotBeIsRefusedWithWhatWouldBeRight() throws Exception {
        cluster(key, key);
        assertThat(done("operation=set-attribute&member=*&attribute=zone&value=a").toString()).contains("no member announces attributes");
        assertThat(done("operation=set-attribute&member=n2&attribute=zone&value=a").toString()).contains("Attributes.join");
        Attributes attributes = Attributes.join(nodes.get(1).group("attributes"));
        assertThat(done("operation=set-attribute&member=n2&attribute=Zone&value=a").toString()).contains("1 to 64 of a-z, 0-9, '.', '_' and '-'");
        assertThat(operate("ann", "operation=set-attribute&member=n2&attribute=zone&value=" + "x".repeat(257)).body()).contains("at most 256");
        assertThat(done("operation=set-attribute&member=n2&attribute=note&value=" + "%E2%82%AC".repeat(256)).get("done")).isEqualTo(true);
        Await.until("it is there", () -> attributes.own().keySet().equals(Set.of("note")));
    }

    @SuppressWarnings("unchecked") // keys of JSON are texts
    private Map<String, Object> memberOf(String name) {
        try {
            String header = send(post("login", "user=bob&password=" + PASSWORD.replace(' ', '+'))).headers().firstValue("set-cookie").orElseThrow();
            HttpResponse<String> response = send(HttpRequest.newBuilder(URI.create(console.address() + "api/cluster"))
                    .header("Cookie", header.substring(0, header.indexOf(';'))));
            return ((List<Map<String, Object>>) ((Map<?, ?>) Json.parse(response.body())).get("members"))
                    .stream().filter(member -> member.get("name").equals(name)).findFirst().orElseThrow();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void anExcludedMemberStaysOutside() throws Exception {
        cluster(key, key, key);
        Map<?, ?> answer = done("operation=exclude&member=n3");
        assertThat(answer.get("done")).as(answer.toString()).isEqualTo(true);
        Await.until(() -> "n1 and n2 are by themselves", () -> groups.get(0).view().size() == 2 && groups.get(1).view().size() == 2);
        Await.until(() -> "n3 is alone and told why", () -> groups.get(2).view().size() == 1
                && nodes.get(2).events(0).list().stream().anyMatch(event -> event.toString().contains("excluded by the operator ann")));
        assertThat(groups.get(0).view().size()).isEqualTo(2);
        assertThat(done("operation=exclude&member=n1").toString()).contains("serves this console");
        assertThat(done("operation=exclude&member=nobody").get("done")).isEqualTo(false);
    }

    @Test
    void nobodyIsExcludedIfOneMemberDoesNotPermitIt() throws Exception {
        cluster(key, "", key);
        Map<?, ?> answer = done("operation=exclude&member=n3");
        assertThat(answer.get("done")).isEqualTo(false);
        assertThat(answer.toString()).contains("nobody was asked").contains("n2");
        assertThat(operations(nodes.getFirst())).isEmpty();
        assertThat(groups.get(0).view().size()).isEqualTo(3);
    }

    @Test
    void aMemberIsDrainedAndStops() throws Exception {
        cluster(key, key);
        assertThat(done("operation=drain&member=n2").get("done")).isEqualTo(true);
        assertThat(groups.get(1).view().size()).isEqualTo(2);
        assertThat(done("operation=stop&member=n2").get("done")).isEqualTo(true);
        Await.until(() -> "n1 is alone", () -> groups.getFirst().view().size() == 1);
        assertThat(operations(nodes.get(1))).hasSize(2);
    }

    @Test
    void whatIsNoOperationIsRefused() throws Exception {
        cluster(key);
        assertThat(operate("ann", "operation=conquer&member=n1").statusCode()).isEqualTo(400);
        assertThat(operate("ann", "").statusCode()).isEqualTo(400);
        assertThat(done("operation=stop&member=nobody").get("done")).isEqualTo(false);
        assertThat(done("operation=stop&member=*").toString()).contains("only settings");
        assertThat(done("operation=leave&member=n1&group=nothing").toString()).contains("is not in group nothing");
    }
}
