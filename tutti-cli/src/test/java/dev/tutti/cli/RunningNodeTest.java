package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.blocks.presence.Attributes;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.core.View;
import dev.tutti.internal.Json;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Commands against a node of the library, over loopback. */
class RunningNodeTest {

    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final BlockingQueue<View> views = new LinkedBlockingQueue<>();
    private final CountDownLatch hasMet = new CountDownLatch(1);
    private Node node;
    private Group group;

    @BeforeEach
    void start() {
        node = Node.tcp(0).name("library").set("diagnostics.enabled", "true").start();
        group = node.group("chat")
                .onMessage(message -> received.add(message.sender().name() + ": " + message.text()))
                .onView(view -> {
                    views.add(view);
                    if (view.size() == 2) {
                        hasMet.countDown();
                    }
                })
                .join();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void chatSendsLinesAndLeavesAtTheEnd() throws InterruptedException {
        Run run = Run.readingAfter(hasMet, "hello\n\nworld", "chat", "--name", "ann", "--port", "0", "--seed", node.address());
        assertThat(run.err()).isEmpty();
        assertThat(run.code()).isEqualTo(ExitCodes.DONE);
        assertThat(next()).isEqualTo("ann: hello");
        assertThat(next()).isEqualTo("ann: world");
        assertThat(run.out()).contains("* chat: view ", "2 members: library, ann");
        awaitViewOf(1);
    }

    @Test
    void chatSplitsALineThatIsTooLong() throws InterruptedException {
        Run run = Run.readingAfter(hasMet, "x".repeat(150_000), "chat", "--name", "ann", "--port", "0", "--seed", node.address());
        assertThat(run.code()).isEqualTo(ExitCodes.DONE);
        int total = 0;
        while (total < 150_000) {
            String line = next();
            assertThat(line.length()).isLessThanOrEqualTo("ann: ".length() + 64 * 1024);
            total += line.length() - "ann: ".length();
        }
    }

    @Test
    void chatPrintsWhatOthersWriteAsJson() throws Exception {
        CountDownLatch hasPrintedBytes = new CountDownLatch(1);
        StringWriter out = new StringWriter() {
            @Override
            public void write(String text, int offset, int length) {
                super.write(text, offset, length);
                if (text.contains("base64")) {
                    hasPrintedBytes.countDown();
                }
            }
        };
        PipedOutputStream input = new PipedOutputStream();
        Terminal terminal = terminal(input, out);
        CompletableFuture<Integer> code = CompletableFuture.supplyAsync(
                () -> Tutti.execute(terminal, "chat", "--json", "--name", "ann", "--port", "0", "--seed", node.address()));
        awaitViewOf(2);
        group.send("hi \u001b[31m");
        group.send(new byte[] {(byte) 0xFF});
        assertThat(next()).startsWith("library: hi");
        input.write("done\n".getBytes(StandardCharsets.UTF_8));
        input.flush();
        next();
        assertThat(next()).isEqualTo("ann: done");
        // A member may leave before it has delivered everything that others have sent.
        assertThat(hasPrintedBytes.await(60, TimeUnit.SECONDS)).isTrue();
        input.close();
        assertThat(code.get(60, TimeUnit.SECONDS)).isEqualTo(ExitCodes.DONE);
        List<Object> events = out.toString().lines().map(Json::parse).map(Object.class::cast).toList();
        assertThat(events)
                .contains(Map.of("event", "message", "group", "chat", "sender", "library", "text", "hi \u001b[31m"))
                .contains(Map.of("event", "message", "group", "chat", "sender", "library", "base64", "/w=="));
        assertThat(events).anyMatch(event -> event.toString().contains("members=[library, ann]"));
    }

    @Test
    void nodePrintsMembersWithTheirAttributes() throws Exception {
        try (Attributes attributes = Attributes.join(node.group("attributes"))) {
            attributes.put("zone", "eu-1a");
            BlockingQueue<String> printed = new LinkedBlockingQueue<>();
            StringWriter out = new StringWriter() {
                @Override
                public void write(String text, int offset, int length) {
                    printed.add(text.substring(offset, offset + length));
                }
            };
            Terminal terminal = terminal(new PipedOutputStream(), out);
            Thread command = Thread.ofPlatform().start(() -> Tutti.execute(
                    terminal, "node", "--name", "watch", "--port", "0", "--seed", node.address(), "--group", "chat",
                    "-D", "attributes=zone=eu-1b,rack=r12"));
            String line = "";
            while (line != null && !line.contains("2 members")) {
                line = printed.poll(60, TimeUnit.SECONDS);
            }
            assertThat(line).contains("library (zone=eu-1a)", "watch (zone=eu-1b, rack=r12)");
            command.interrupt();
            command.join();
        }
    }

    @Test
    void viewListsNodesThatCanBeAsked() {
        Run run = Run.of("view");
        assertThat(run.code()).isEqualTo(ExitCodes.DONE);
        assertThat(run.out())
                .containsPattern(ProcessHandle.current().pid() + " +library +" + node.address() + " +ready +chat\n");
        assertThat(Json.parse(Run.of("view", "--json").out()).toString())
                .contains("name=library, address=" + node.address() + ", health={alive=true, ready=true", "groups=[chat]");
    }

    @Test
    void viewShowsANodeByPortAddressAndProcess() {
        String port = node.address().substring(node.address().lastIndexOf(':') + 1);
        for (String wanted : List.of(port, node.address(), Long.toString(ProcessHandle.current().pid()))) {
            Run run = Run.of("view", wanted);
            assertThat(run.code()).isEqualTo(ExitCodes.DONE);
            assertThat(run.out()).contains("node library", "links", "groups", "chat", "view", "window-bytes");
        }
        Object document = Json.parse(Run.of("view", port, "--json").out());
        assertThat(document).isInstanceOf(List.class);
        assertThat(document.toString()).contains("pid=", "node={name=library");
    }

    @Test
    void viewSaysWhichNodesThereAreWhenTheOneWantedIsNot() {
        Run run = Run.of("view", "nobody");
        assertThat(run.code()).isEqualTo(ExitCodes.FAILED);
        assertThat(run.err()).startsWith("tutti: no node on this machine answers to nobody; there are ").contains("library");
    }

    @Test
    void aClosedNodeIsNotListed() {
        node.close();
        assertThat(Run.of("view").out()).doesNotContain(node.address());
    }

    @Test
    void twoNodesMeetOnThisMachineWithoutASeed() throws Exception {
        String cluster = "meet-" + ProcessHandle.current().pid();
        StringWriter out = new StringWriter();
        PipedOutputStream input = new PipedOutputStream();
        Terminal terminal = terminal(input, out);
        BlockingQueue<View> seen = new LinkedBlockingQueue<>();
        try (Node first = Node.tcp(7800).set("bind.port-range", "9").cluster(cluster).start();
                Group _ = first.group("chat").onView(seen::add).join()) {
            CompletableFuture<Integer> code = CompletableFuture.supplyAsync(
                    () -> Tutti.execute(terminal, "chat", "--cluster", cluster));
            awaitViewOf(2, seen);
            input.close();
            assertThat(code.get(60, TimeUnit.SECONDS)).isEqualTo(ExitCodes.DONE);
        }
    }

    private String next() throws InterruptedException {
        String line = received.poll(60, TimeUnit.SECONDS);
        assertThat(line).as("a message").isNotNull();
        return line;
    }

    private void awaitViewOf(int members) throws InterruptedException {
        awaitViewOf(members, views);
    }

    private static void awaitViewOf(int members, BlockingQueue<View> views) throws InterruptedException {
        View view = views.poll(60, TimeUnit.SECONDS);
        while (view != null && view.size() != members) {
            view = views.poll(60, TimeUnit.SECONDS);
        }
        assertThat(view).as("a view of " + members).isNotNull();
    }

    private static Terminal terminal(PipedOutputStream input, StringWriter out) throws IOException {
        return new Terminal(new PipedInputStream(input), new PrintWriter(out), new PrintWriter(new StringWriter()), false);
    }
}
