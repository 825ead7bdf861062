package dev.tutti.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageTest {

    @TempDir
    Path directory;

    private final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Journal journal = new Journal(new PrintStream(out, true, StandardCharsets.UTF_8), false);
    private final Front front = new Front();
    private DemoCluster cluster;

    @BeforeEach
    void start() throws IOException {
        cluster = new DemoCluster(3, directory, front, journal);
        front.start(0, true, new Page(cluster, journal), directory);
    }

    @AfterEach
    void stop() {
        front.close();
        cluster.close();
        client.close();
    }

    private HttpResponse<String> send(String method, String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(front.uri().resolve(path))
                .timeout(Duration.ofSeconds(10))
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void isAllItsOwnUnderAStrictPolicy() throws IOException, InterruptedException {
        for (String path : new String[] {"/", "/demo.css", "/demo.js"}) {
            HttpResponse<String> response = send("GET", path);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("Content-Security-Policy")).hasValueSatisfying(
                    policy -> assertThat(policy).startsWith("default-src 'none'").doesNotContain("unsafe"));
            assertThat(response.body()).doesNotContain("http://").doesNotContain("https://").doesNotContain("innerHTML");
        }
        assertThat(send("GET", "/").body()).doesNotContain("style=").doesNotContain("onclick");
    }

    @Test
    void showsNodesAndEvents() throws IOException, InterruptedException {
        journal.say("something <happened>");
        HttpResponse<String> response = send("GET", "/demo/status");
        assertThat(response.headers().firstValue("Content-Type")).contains("application/json;charset=utf-8");
        assertThat(response.body())
                .contains("{\"name\":\"node1\",\"state\":\"down\"", "\"node3\"", "something \\u003chappened>");
    }

    @Test
    void isNotControlledFromOtherSites() throws IOException, InterruptedException {
        assertThat(send("POST", "/demo/nodes/node1/kill").statusCode()).isEqualTo(403);
        assertThat(send("GET", "/demo/nodes/node1/kill", Page.CONTROL_HEADER, "yes").statusCode()).isEqualTo(404);
    }

    @Test
    void refusesNodesAndActionsThatAreNot() throws IOException, InterruptedException {
        for (String path : new String[] {"node9/kill", "node1/explode", "node1", "node1/kill/now", ""}) {
            assertThat(send("POST", "/demo/nodes/" + path, Page.CONTROL_HEADER, "yes").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void killsANodeThatIsDownWithoutHarm() throws IOException, InterruptedException {
        assertThat(send("POST", "/demo/nodes/node1/kill", Page.CONTROL_HEADER, "yes").statusCode()).isEqualTo(200);
    }
}
