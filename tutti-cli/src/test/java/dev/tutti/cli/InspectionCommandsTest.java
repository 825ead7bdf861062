package dev.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.blocks.inspection.Inspection;
import dev.tutti.blocks.presence.Attributes;
import dev.tutti.cli.inspection.Inspected;
import dev.tutti.cli.terminal.Amounts;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.internal.Json;
import dev.tutti.testing.Await;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Output of probe, top and events for nodes of this process. */
class InspectionCommandsTest {

    @TempDir
    private Path directory;

    private final List<Node> nodes = new ArrayList<>();
    private String port;

    @BeforeEach
    void start() {
        Node one = Node.tcp(0).name("one").set("diagnostics.enabled", "true").start();
        nodes.add(one);
        Node two = Node.tcp(0).name("two").seeds(one.address()).start();
        nodes.add(two);
        one.group("chat").join();
        two.group("chat").join();
        Inspection first = Inspection.open(one);
        Inspection.open(two);
        Await.until("views of two", () -> first.view().size() == 2 && one.groups().getFirst().view().size() == 2);
        port = one.address().substring(one.address().lastIndexOf(':') + 1);
    }

    @AfterEach
    void stop() {
        nodes.forEach(Node::close);
    }

    @Test
    void probePrintsEverythingOfANode() {
        Run run = Run.of("probe", port);
        assertThat(run.err()).isEmpty();
        assertThat(run.code()).isEqualTo(ExitCodes.DONE);
        assertThat(run.out())
                .contains("node one  127.0.0.1:" + port, "health", "chat", "layer reliability", "setting window", "links",
                        "detection", "threads")
                .containsPattern("view members +one, two|view members +two, one")
                .doesNotContain("security.secret");
        assertThat(run.out())
                .containsPattern("heartbeat-nanos +1 s\\n")
                .containsPattern("(?m)heap-used-bytes +[0-9.]+ MiB$")
                .containsPattern("uptime-millis +[0-9.]+ (ms|s)\\n|uptime-millis +[0-9]+ min");
        assertThat(Run.of("probe", port, "--settings").out()).contains("detection.heartbeat");
    }

    @Test
    void probeShowsOnePart() {
        assertThat(Run.of("probe", port, "--part", "chat").out()).contains("layer packing").doesNotContain("Finalizer");
        assertThat(Run.of("probe", port, "--part", "driver").out()).contains("bytes.sent").doesNotContain("packing");
        Run wrong = Run.of("probe", port, "--part", "motor");
        assertThat(wrong.code()).isEqualTo(ExitCodes.FAILED);
        assertThat(wrong.err()).startsWith("tutti: there is no part 'motor'; there are node, health").contains("chat", "detection");
    }

    @Test
    void probeAsksAllMembersThroughOne() {
        Object parsed = Json.parse(Run.of("probe", port, "--all", "--json").out());
        assertThat(parsed).isInstanceOf(List.class);
        List<Map<?, ?>> members = Inspected.maps(parsed);
        assertThat(members).extracting(member -> String.valueOf(member.get("name"))).containsExactlyInAnyOrder("one", "two");
        assertThat(members).allSatisfy(member -> assertThat(member.get("document")).isInstanceOf(Map.class));
        assertThat(Run.of("probe", port, "--all").out()).contains("node one  ", "node two  ");
    }

    @Test
    void probeChangesNoSettingWithoutTheKeyOfOperators() {
        Run run = Run.of("probe", port, "--all", "--set", "chat:send-timeout=1234 ms");
        assertThat(run.code()).isEqualTo(ExitCodes.FAILED);
        assertThat(run.out()).contains("operator.key-file");
        assertThat(Run.of("probe", port, "--set", "send-timeout").err()).contains("GROUP:SETTING=VALUE").hasLineCount(1);
    }

    @Test
    void probeChangesASettingAtAllMembersOfAGroup() throws IOException {
        Path key = Files.writeString(directory.resolve("key"), "0123456789abcdef0123456789abcdef");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        Node three = Node.tcp(0).name("three").cluster("c3").set("diagnostics.enabled", "true").set("operator.key-file", key.toString()).start();
        nodes.add(three);
        Node four = Node.tcp(0).name("four").cluster("c3").seeds(three.address()).set("operator.key-file", key.toString()).start();
        nodes.add(four);
        three.group("chat").join();
        four.group("chat").join();
        Inspection of = Inspection.open(three);
        Inspection.open(four);
        Await.until("views of two", () -> of.view().size() == 2 && three.groups().getFirst().view().size() == 2);
        String other = three.address().substring(three.address().lastIndexOf(':') + 1);
        Run run = Run.of("probe", other, "--all", "--set", "chat:send-timeout=1234 ms");
        assertThat(run.code()).as(run.out() + run.err()).isEqualTo(ExitCodes.DONE);
        assertThat(run.out()).contains("three: ", "four: ");
        for (Node node : List.of(three, four)) {
            assertThat(node.inspection().document().toString()).contains("send-timeout=1234 ms");
        }
        assertThat(Run.of("probe", other, "--set", "chat:window=1 MiB").out()).contains("can't be changed");
        assertThat(Run.of("probe", other, "--set", "nothing:send-timeout=1 s").err()).contains("is not in group nothing").hasLineCount(1);
    }

    @Test
    void attributesAreShownAndChangedByTheOperator() throws IOException {
        Path key = Files.writeString(directory.resolve("key"), "0123456789abcdef0123456789abcdef");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        Node three = Node.tcp(0).name("three").cluster("c4").set("diagnostics.enabled", "true").set("operator.key-file", key.toString())
                .set("attributes", "zone=eu-1a").start();
        nodes.add(three);
        Node four = Node.tcp(0).name("four").cluster("c4").seeds(three.address()).set("operator.key-file", key.toString())
                .set("attributes", "zone=eu-1b").start();
        nodes.add(four);
        Attributes attributes = Attributes.join(three.group("attributes"));
        Attributes others = Attributes.join(four.group("attributes"));
        Inspection of = Inspection.open(three);
        Inspection.open(four);
        Await.until("views of two", () -> of.view().size() == 2 && attributes.group().view().size() == 2);
        String other = three.address().substring(three.address().lastIndexOf(':') + 1);
        assertThat(Run.of("probe", other).out()).containsPattern("(?m)^ *zone +eu-1a$");
        assertThat(Run.of("top", other, "-n", "1").out()).containsPattern("three .* ready +zone=eu-1a").containsPattern("four .* ready +zone=eu-1b");
        Run one = Run.of("probe", other, "--set-attribute", "rack=r12");
        assertThat(one.code()).as(one.out() + one.err()).isEqualTo(ExitCodes.DONE);
        assertThat(one.out()).isEqualTo("three: attribute rack of three is r12\n");
        Run all = Run.of("probe", other, "--all", "--set-attribute", "canary=yes");
        assertThat(all.code()).as(all.out() + all.err()).isEqualTo(ExitCodes.DONE);
        Await.until("all have it", () -> "yes".equals(attributes.own().get("canary")) && "yes".equals(others.own().get("canary")));
        assertThat(others.own()).doesNotContainKey("rack");
        assertThat(Run.of("probe", other, "--all", "--remove-attribute", "rack").out())
                .contains("three has no attribute rack any more", "four had no attribute rack");
        Run wrong = Run.of("probe", other, "--set-attribute", "Zone=eu-1b");
        assertThat(wrong.code()).isEqualTo(ExitCodes.FAILED);
        assertThat(wrong.out()).contains("'Zone' is no name of an attribute");
        assertThat(Run.of("probe", other, "--set-attribute", "zone").err()).contains("NAME=VALUE").hasLineCount(1);
        assertThat(Run.of("probe", other, "--set-attribute", "a=b", "--remove-attribute", "a").code()).isEqualTo(ExitCodes.WRONG);
        assertThat(Run.of("probe", port, "--set-attribute", "zone=a").out()).contains("operator.key-file");
    }

    @Test
    void probeSaysWhatHelpsWhenNobodyAnswers() {
        Run run = Run.of("probe", "nobody");
        assertThat(run.code()).isEqualTo(ExitCodes.FAILED);
        assertThat(run.err()).contains("answers to nobody", "'tutti view' lists", "diagnostics.enabled: true");
    }

    @Test
    void topShowsMembersAndGroupsWithRates() {
        Run run = Run.of("top", port, "-n", "1");
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .contains("tutti top  ", "2 members")
                .containsPattern("\\none +127.0.0.1:" + port + " +1 .* ready\\n")
                .containsPattern("\\nchat +two +[0-9.]+@(one|two) +2 +fifo")
                .doesNotContain("tutti.inspection", "\u001b");
        Object json = Json.parse(Run.of("top", port, "-n", "1", "--json").out());
        assertThat(Inspected.maps(((Map<?, ?>) json).get("members"))).hasSize(2).allSatisfy(member ->
                assertThat((Double) member.get("sentBytesPerSecond")).isPositive());
    }

    @Test
    void topAndViewEndWhenQIsPressed() throws Exception {
        for (String line : List.of("top --every 3600 " + port, "view all --watch 3600")) {
            StringWriter out = new StringWriter();
            try (PipedOutputStream keyboard = new PipedOutputStream();
                    PipedInputStream keys = new PipedInputStream(keyboard)) {
                Terminal terminal = new Terminal(keys, new PrintWriter(out), new PrintWriter(out), false, true);
                CompletableFuture<Integer> code = CompletableFuture.supplyAsync(() -> Tutti.execute(terminal, line.split(" ")));
                Await.until(() -> "a page of " + line + ": " + out, () -> out.toString().contains("chat"));
                keyboard.write('x');
                keyboard.write('q');
                keyboard.flush();
                assertThat(code.get(60, TimeUnit.SECONDS)).isEqualTo(ExitCodes.DONE);
            }
        }
    }

    @Test
    void eventsPrintWhatHasHappenedAndWhy() {
        // A group has its view before the event of it is kept.
        Await.until("the view of two is an event", () -> nodes.getFirst().events(0).list().stream()
                .anyMatch(event -> event.group().equals("chat") && event.text().contains(" with 2 of ")));
        Run run = Run.of("events", port, "--no-follow");
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .containsPattern("[0-9:.]{12}  one  started         node one listens on")
                .containsPattern("one  link-opened     session with two")
                .containsPattern("one  view            chat: view .* with 2 of .* \\((one|two) has come\\)");
        assertThat(Run.of("events", port, "--no-follow", "--last", "2").out().lines()).hasSize(2);
        assertThat(Run.of("events", port, "--no-follow", "--kind", "joined").out().lines()).hasSize(2);
        Run.of("events", port, "--no-follow", "--json").out().lines().forEach(line ->
                assertThat(String.valueOf(Json.parse(line))).startsWith("{of=one, number=").contains("kind="));
        assertThat(Run.of("events", "--kind", "views").err()).contains("there is no kind 'views'; there are started");
    }

    @Test
    void amountsAreShort() {
        assertThat(List.of(Amounts.count(0), Amounts.count(999), Amounts.count(12_345), Amounts.count(-2_500_000)))
                .containsExactly("0", "999", "12.3k", "-2.5M");
        assertThat(List.of(Amounts.bytes(0), Amounts.bytes(1_536), Amounts.bytes(200 * 1_048_576.0)))
                .containsExactly("0 B", "1.5 KiB", "200 MiB");
        assertThat(List.of(Amounts.time(0), Amounts.time(250), Amounts.time(1_500), Amounts.time(12_345_678), Amounts.time(1_000_000_000), Amounts.time(125_000_000_000L)))
                .containsExactly("0 ns", "250 ns", "1.5 us", "12.3 ms", "1 s", "2 min 5 s");
        assertThat(List.of(Amounts.duration(5_000), Amounts.duration(125_000), Amounts.duration(7_500_000), Amounts.duration(273_600_000)))
                .containsExactly("5 s", "2 min 5 s", "2 h 5 min", "3 d 4 h");
    }
}
