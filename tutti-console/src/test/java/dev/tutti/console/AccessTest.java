package dev.tutti.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.core.settings.SettingException;
import dev.tutti.internal.Json;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Users of the console with their roles, links that they give away, and requests that change something. */
@Timeout(120)
class AccessTest {

    private static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final String PASSWORD = "correct horse battery";
    private static final UserFile USERS =
            UserFile.empty().with("ann", Role.OPERATOR, PASSWORD, 1_000).with("bob", Role.READER, PASSWORD + " staple", 1_000);

    @TempDir
    private Path directory;

    private Path file;
    private Node node;
    private Console console;
    private HttpClient client;

    @BeforeEach
    void start() throws IOException {
        file = directory.resolve("users");
        USERS.write(file);
        Path token = Files.writeString(directory.resolve("token"), TOKEN);
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        node = Node.tcp(0).name("n1").cluster("access").start();
        node.group("g").join();
        console = Console.on(node)
                .port(0)
                .set("console.users-file", file.toString())
                .set("console.token-file", token.toString())
                .set("console.interval", "200 ms")
                .start();
        client = HttpClient.newHttpClient();
    }

    @AfterEach
    void stop() {
        client.close();
        console.close();
        node.close();
    }

    private HttpResponse<String> get(String path, String cookie) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(console.address() + path)).header("Cookie", cookie).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest post(String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(console.address() + path))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        return (headers.length == 0 ? request : request.headers(headers)).build();
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> logIn(String user, String password) throws IOException, InterruptedException {
        return send(post("login", "user=" + user + "&password=" + password.replace(' ', '+')));
    }

    private static String cookie(HttpResponse<?> response) {
        assertThat(response.statusCode()).isEqualTo(200);
        String header = response.headers().firstValue("set-cookie").orElseThrow();
        return header.substring(0, header.indexOf(';'));
    }

    @SuppressWarnings("unchecked") // keys of JSON are texts
    private Map<String, Object> session(String cookie) throws IOException, InterruptedException {
        return (Map<String, Object>) Json.parse(get("api/session", cookie).body());
    }

    private HttpResponse<String> act(String path, String body, String cookie) throws IOException, InterruptedException {
        return send(post(path, body, "Cookie", cookie, "X-Tutti-Proof", String.valueOf(session(cookie).get("proof"))));
    }

    private long counter(String name) {
        return console.status().getOrDefault(name, -1L);
    }

    // ------------------------------------------------------------------ passwords

    @Test
    void usersLogInByTheirPasswordsAndHaveTheirRoles() throws Exception {
        String ann = cookie(logIn("ann", PASSWORD));
        assertThat(session(ann)).containsEntry("name", "ann").containsEntry("role", "operator");
        String bob = cookie(logIn("bob", PASSWORD + " staple"));
        assertThat(session(bob)).containsEntry("name", "bob").containsEntry("role", "reader");
        assertThat(get("api/cluster", bob).statusCode()).isEqualTo(200);
        assertThat(get("login", "").body()).contains("name=\"password\"", "name=\"token\"", "or with a token").doesNotContain("<!--");
    }

    @Test
    void theLogInAsksForWhatThereIs() throws Exception {
        console.close();
        console = Console.on(node).port(0).set("console.users-file", file.toString()).start();
        assertThat(get("login", "").body()).contains("name=\"password\"").doesNotContain("name=\"token\"", "<!--");
        console.close();
        console = Console.on(node).port(0).start();
        assertThat(get("login", "").body()).contains("name=\"token\"").doesNotContain("name=\"password\"", "<!--");
    }

    @Test
    void theTokenIsAReaderUnlessASettingSaysOtherwise() throws Exception {
        String cookie = cookie(send(post("login", "token=" + TOKEN)));
        assertThat(session(cookie)).containsEntry("name", "token").containsEntry("role", "reader");
    }

    @Test
    void aPasswordOfAnotherUserOrOfNobodyIsWrong() throws Exception {
        assertThat(logIn("bob", PASSWORD).statusCode()).isEqualTo(403);
        assertThat(logIn("nobody", PASSWORD).statusCode()).isEqualTo(403);
        assertThat(logIn("ann", "").statusCode()).isEqualTo(403);
        assertThat(counter("logins-refused")).isEqualTo(3);
    }

    /** Sends a request again whose connection was evicted for one of the flood, as a person would; at most as often as the flood has connections. */
    private HttpResponse<String> sendUnlessEvicted(HttpRequest request) throws IOException, InterruptedException {
        for (int evictions = 0; ; evictions++) {
            try {
                return send(request);
            } catch (IOException e) {
                assertThat(evictions).as("evictions; the last: %s", e).isLessThan(60);
            }
        }
    }

    @Test
    void aFloodOfWrongPasswordsIsSlowedAndTheRightOneGetsIn() throws Exception {
        List<CompletableFuture<HttpResponse<String>>> flood = new ArrayList<>();
        for (int attempt = 0; attempt < 60; attempt++) {
            flood.add(client.sendAsync(
                    post("login", "user=ann&password=wrong+password+" + attempt), HttpResponse.BodyHandlers.ofString()));
        }
        // A token that can't be guessed waits for nobody, once its connection has a place.
        assertThat(cookie(sendUnlessEvicted(post("login", "token=" + TOKEN)))).isNotEmpty();
        int refused = 0;
        for (CompletableFuture<HttpResponse<String>> each : flood) {
            int status = each.handle((response, failure) -> failure == null ? response.statusCode() : 0).join();
            assertThat(status).as("0 is an evicted connection").isIn(0, 403, 429);
            refused += status == 429 ? 1 : 0;
        }
        assertThat(refused + counter("logins-refused") + counter("connections-evicted")).isGreaterThanOrEqualTo(60);
        assertThat(cookie(logIn("ann", PASSWORD))).isNotEmpty();
        assertThat(counter("logins-delayed")).isPositive();
    }

    @Test
    void whoIsRemovedFromTheFileIsOut() throws Exception {
        String ann = cookie(logIn("ann", PASSWORD));
        USERS.without("ann").write(file);
        Files.setLastModifiedTime(file, FileTime.fromMillis(Files.getLastModifiedTime(file).toMillis() + 2_000));
        Await.until(() -> "ann is out", () -> statusOf("api/cluster", ann) == 401);
        assertThat(logIn("ann", PASSWORD).statusCode()).isEqualTo(403);
    }

    private int statusOf(String path, String cookie) {
        try {
            return get(path, cookie).statusCode();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aFileThatCanNotBeReadAnyMoreLeavesTheUsersAsTheyWere() throws Exception {
        String ann = cookie(logIn("ann", PASSWORD));
        Files.writeString(file, "ann emperor x\n");
        for (int look = 0; look < 5; look++) {
            assertThat(get("api/cluster", ann).statusCode()).isEqualTo(200);
        }
        assertThat(cookie(logIn("ann", PASSWORD))).isNotEmpty();
    }

    @Test
    void aFileThatIsWrongAtTheStartIsNamed() throws Exception {
        Files.writeString(file, "ann emperor x\n");
        assertThatThrownBy(() -> Console.on(node).port(0).set("console.users-file", file.toString()).start())
                .isInstanceOf(IllegalStateException.class);
        console.close();
        assertThatThrownBy(() -> Console.on(node).port(0).set("console.users-file", file.toString()).start())
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("line 1")
                .hasMessageContaining("emperor");
    }

    // ------------------------------------------------------------------ links

    @Test
    void aLinkLogsInTheNextPersonOnceWithItsRole() throws Exception {
        String ann = cookie(logIn("ann", PASSWORD));
        Map<?, ?> made = (Map<?, ?>) Json.parse(act("api/link", "role=reader", ann).body());
        String path = String.valueOf(made.get("link")).substring(console.address().length());
        String next = cookie(get(path, ""));
        assertThat(session(next)).containsEntry("name", "link of ann").containsEntry("role", "reader");
        assertThat(get(path, "").statusCode()).isEqualTo(403);
        assertThat(counter("links-made")).isEqualTo(1);
    }

    @Test
    void aLinkHasNoGreaterRoleThanItsMaker() throws Exception {
        String bob = cookie(logIn("bob", PASSWORD + " staple"));
        HttpResponse<String> refused = act("api/link", "role=operator", bob);
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body()).contains("reader").doesNotContain("once=");
        assertThat(counter("requests-not-permitted")).isEqualTo(1);
        assertThat(act("api/link", "role=emperor", bob).statusCode()).isEqualTo(400);
        assertThat(act("api/link", "role=reader", bob).statusCode()).isEqualTo(200);
    }

    // ------------------------------------------------------------------ forged requests

    @Test
    void aRequestWithoutTheProofOfThePageIsRefused() throws Exception {
        String ann = cookie(logIn("ann", PASSWORD));
        for (String path : List.of("api/link", "api/operation")) {
            assertThat(send(post(path, "role=operator&operation=stop&member=n1", "Cookie", ann)).statusCode()).as(path).isEqualTo(403);
            assertThat(send(post(path, "role=operator&operation=stop&member=n1", "Cookie", ann, "X-Tutti-Proof", "made up")).statusCode())
                    .as(path).isEqualTo(403);
        }
        assertThat(counter("requests-unproven")).isEqualTo(4);
        // The proof of another session is none.
        String other = String.valueOf(session(cookie(logIn("bob", PASSWORD + " staple"))).get("proof"));
        assertThat(send(post("api/link", "role=reader", "Cookie", ann, "X-Tutti-Proof", other)).statusCode()).isEqualTo(403);
        assertThat(counter("links-made")).isZero();
    }

    @Test
    void aRequestOfAnotherPageIsRefusedEvenWithTheProof() throws Exception {
        String ann = cookie(logIn("ann", PASSWORD));
        String proof = String.valueOf(session(ann).get("proof"));
        assertThat(send(post("api/link", "role=reader", "Cookie", ann, "X-Tutti-Proof", proof, "Origin", "https://evil.example")).statusCode())
                .isEqualTo(403);
        assertThat(send(post("api/link", "role=reader", "Cookie", ann, "X-Tutti-Proof", proof, "Sec-Fetch-Site", "cross-site")).statusCode())
                .isEqualTo(403);
        assertThat(counter("requests-foreign-page")).isEqualTo(2);
        assertThat(get("api/link?role=reader", ann).statusCode()).as("nothing is changed by GET").isEqualTo(405);
        assertThat(get("api/operation?operation=stop&member=n1", ann).statusCode()).isEqualTo(405);
        assertThat(counter("links-made")).isZero();
    }

    @Test
    void aProgramWithTheTokenHasTheRoleOfTheToken() throws Exception {
        assertThat(send(post("api/link", "role=operator", "Authorization", "Bearer " + TOKEN)).statusCode()).isEqualTo(403);
        assertThat(send(post("api/link", "role=reader", "Authorization", "Bearer " + TOKEN)).statusCode()).isEqualTo(200);
        assertThat(send(post("api/operation", "operation=stop&member=n1", "Authorization", "Bearer " + TOKEN)).statusCode()).isEqualTo(403);
    }
}
