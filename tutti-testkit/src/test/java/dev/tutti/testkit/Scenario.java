package dev.tutti.testkit;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.GroupState;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.Snapshot;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.sim.SimulatedNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A scenario of {@code docs/scenarios.md}: steps that a cluster in virtual time plays, and the events that each causes.
 *
 * <p>Steps begin a line, events are indented below them. Every frame between two processes takes a millisecond.
 *
 * <pre>
 * 3 processes                                      first, and once
 * seed 2                                           of all that is drawn at random; 1 otherwise
 * node with detection.timeout 1 s                  settings, before any process starts
 * group with stack total
 * a state of 200000 bytes
 * show PREPARE, ACK, CUT                           messages to show from here on, by their names in docs/wire.md
 * n1, n2 and n3 are in one view                    starts them, the oldest first, and shows nothing of it
 * n1 and n2 start
 * n3 is killed | loses power | is paused | goes on | stops
 * n3 takes 50 ms for a message
 * the network parts n1 and n2 from the others
 * the network loses everything from n1 to n3
 * the network heals
 * n1 sends "a" and "b"                             one after the other
 * n1 sends "a" of 60000 bytes
 * 10 ms pass
 * one view of n1 and n2 comes
 * </pre>
 */
final class Scenario {

    /** Reads the arguments of a step and takes it. */
    private record Step(Pattern pattern, Consumer<MatchResult> action) {}

    static final String INDENT = "    ";
    private static final String MEMBERS = "(n\\d+(?:(?:, | and )n\\d+)*)";
    private static final String TEXTS = "(\"\\w+\"(?:(?:, | and )\"\\w+\")*)";
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Duration LATENCY = Duration.ofMillis(1);

    private final Map<String, String> nodeSettings = new LinkedHashMap<>();
    private final Map<String, String> groupSettings = new LinkedHashMap<>();
    private final ScenarioTrace trace = new ScenarioTrace();
    private int size;
    private int seed = 1;
    private int stateBytes;
    private Set<String> shown = Set.of();
    private @Nullable Cluster cluster;
    private @Nullable Components<Participant> participants;
    private @Nullable FrameText frames;

    private final List<Step> steps = List.of(
            step("(\\d+) processes", step -> size = number(step, 1)),
            step("seed (\\d+)", step -> seed = number(step, 1)),
            step("node with ([a-z.-]+) (.+)", step -> nodeSettings.put(step.group(1), step.group(2))),
            step("group with ([a-z.-]+) (.+)", step -> groupSettings.put(step.group(1), step.group(2))),
            step("a state of (\\d+) bytes", step -> stateBytes = number(step, 1)),
            step("show (.+)", step -> shown = Set.of(step.group(1).split(", "))),
            step(MEMBERS + " are in one view", step -> meet(numbers(step.group(1)))),
            step(MEMBERS + " starts?", step -> cluster().begin(numbers(step.group(1)))),
            step(MEMBERS + " (?:is|are) killed", step -> cluster().crash(numbers(step.group(1)))),
            step(MEMBERS + " loses? power", step -> cluster().powerOff(numbers(step.group(1)))),
            step(MEMBERS + " (?:is|are) paused", step -> cluster().pause(numbers(step.group(1)))),
            step(MEMBERS + " go(?:es)? on", step -> cluster().resume(numbers(step.group(1)))),
            step(MEMBERS + " stops?", step -> cluster().stop(numbers(step.group(1)))),
            step("n(\\d+) takes (\\d+) ms for a message", step -> cluster().slow(number(step, 1), millis(step, 2))),
            step("the network parts " + MEMBERS + " from the others", step -> cluster().partition(numbers(step.group(1)))),
            step("the network loses everything from n(\\d+) to n(\\d+)", step -> cluster().cut(number(step, 1), number(step, 2))),
            step("the network heals", step -> cluster().heal()),
            step("n(\\d+) sends " + TEXTS, step -> send(number(step, 1), step.group(2), 0)),
            step("n(\\d+) sends " + TEXTS + " of (\\d+) bytes", step -> send(number(step, 1), step.group(2), number(step, 3))),
            step("(\\d+) ms pass", step -> cluster().advance(millis(step, 1))),
            step("one view of " + MEMBERS + " comes", step -> cluster().awaitOneViewOf(LIMIT, numbers(step.group(1)))));

    private static Step step(String pattern, Consumer<MatchResult> action) {
        return new Step(Pattern.compile(pattern), action);
    }

    /**
     * Plays the steps among these lines, checks all guarantees at the end, and returns the lines with the events that
     * happened instead of those that stand there.
     */
    List<String> play(List<String> lines) {
        List<String> played = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith(INDENT)) {
                continue;
            }
            played.add(line);
            if (!line.isEmpty()) {
                take(line);
                trace.lines().forEach(event -> played.add(INDENT + event));
            }
        }
        Cluster present = cluster();
        present.assertSafe();
        present.close();
        return played;
    }

    private void take(String line) {
        for (Step step : steps) {
            Matcher matcher = step.pattern().matcher(line);
            if (matcher.matches()) {
                Cluster present = cluster;
                trace.start(present == null ? 0 : present.elapsed().toNanos());
                step.action().accept(matcher.toMatchResult());
                return;
            }
        }
        throw new AssertionError("no step of a scenario: " + line);
    }

    private static int number(MatchResult step, int group) {
        return Integer.parseInt(step.group(group));
    }

    private static Duration millis(MatchResult step, int group) {
        return Duration.ofMillis(number(step, group));
    }

    private static int[] numbers(String members) {
        return Arrays.stream(members.split(", | and "))
                .mapToInt(member -> Integer.parseInt(member.substring(1)))
                .toArray();
    }

    private Cluster cluster() {
        Cluster present = cluster;
        if (present == null) {
            present = Cluster.of(size, seed).configure(this::configure).latency(LATENCY, Duration.ZERO);
            frames = new FrameText(
                    groupSettings.getOrDefault("stack", "fifo"), "primary".equals(groupSettings.get("partition")));
            present.watch(this::onFrame);
            participants = present.deploy(Participant::new);
            cluster = present;
        }
        return present;
    }

    private NodeBuilder configure(NodeBuilder node) {
        nodeSettings.forEach(node::set);
        return node;
    }

    private void onFrame(SimulatedNode from, SimulatedNode to, byte[] frame) {
        FrameText reader = frames;
        if (reader != null) {
            reader.name(from.id().incarnation(), from.name());
            FrameText.Line line = reader.read(frame);
            if (shown.contains(line.name())) {
                trace.addMessage(cluster().elapsed().toNanos(), from.name(), to.name(), line.toString());
            }
        }
    }

    private void meet(int[] numbers) {
        int[] present = {};
        for (int number : numbers) {
            present = Arrays.copyOf(present, present.length + 1);
            present[present.length - 1] = number;
            cluster().begin(number);
            cluster().awaitOneViewOf(LIMIT, present).advance(SETTLED);
        }
        trace.start(cluster().elapsed().toNanos());
    }

    private void send(int number, String texts, int length) {
        Components<Participant> present = participants;
        if (present == null) {
            throw new AssertionError("n" + number + " sends before it has started");
        }
        present.on(number).send(texts.replace("\"", "").split(", | and "), length);
    }

    // ------------------------------------------------------------------ applications

    /** The application of a process: tells the trace everything that its group tells it. */
    private final class Participant implements GroupState {

        private final Node node;
        private final Group group;

        Participant(Node node) {
            this.node = node;
            GroupBuilder builder = node.group("g")
                    .onView(this::onView)
                    .onMessage(message -> tell("delivers \"" + message.text().strip() + "\" of " + message.sender().name()))
                    .onSuspended(reason -> tell("is suspended: " + reason));
            groupSettings.forEach(builder::set);
            if (stateBytes > 0) {
                builder.state(this);
            }
            group = builder.join();
            tell("has joined");
        }

        private void tell(String what) {
            trace.add(cluster().elapsed().toNanos(), node.name(), what);
        }

        private void onView(View view) {
            List<String> members = view.members().stream().map(Member::name).toList();
            FrameText reader = frames;
            if (reader != null) {
                reader.ranks(members);
            }
            tell("view " + String.join(" ", members));
        }

        /** Sends messages on a thread of its own. */
        void send(String[] texts, int length) {
            SimulatedProcess process = cluster().process(cluster().numberOf(node));
            process.threads().start(process.owner(), "sender", () -> {
                for (String text : texts) {
                    long startNanos = process.nowNanos();
                    group.send(String.format(Locale.ROOT, "%-" + Math.max(1, length) + "s", text));
                    if (process.nowNanos() - startNanos >= WAIT_SHOWN_NANOS) {
                        tell("send of \"" + text + "\" returns");
                    }
                }
            });
        }

        @Override
        public boolean isReproducible() {
            return true;
        }

        @Override
        public Snapshot snapshot() {
            tell("takes a snapshot");
            return new Snapshot() {
                @Override
                public void write(OutputStream out) throws IOException {
                    out.write(new byte[stateBytes]);
                }

                @Override
                public long bytes() {
                    return stateBytes;
                }
            };
        }

        @Override
        public void install(InputStream in) throws IOException {
            int length = in.readAllBytes().length;
            tell("has installed " + length + " bytes");
        }
    }

    /** Time after a view in which adverts and acknowledgements that follow it have come. */
    private static final Duration SETTLED = Duration.ofSeconds(2);

    private static final long WAIT_SHOWN_NANOS = 1_000_000;
}
