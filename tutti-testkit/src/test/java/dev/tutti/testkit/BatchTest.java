package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.GroupState;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.Scope;
import dev.tutti.SendException;
import dev.tutti.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Listeners that take messages in batches. */
@Timeout(60)
@Order(3)
class BatchTest {

    private static final class Part {
        final Node node;

        /** Messages, and views as {@code |}. */
        final List<String> got = new ArrayList<>();

        final List<Integer> sizes = new ArrayList<>();
        final List<Message> kept = new ArrayList<>();
        final Group group;
        boolean isFailing;

        Part(Node node, UnaryOperator<GroupBuilder> settings) {
            this.node = node;
            group = settings.apply(node.group("g"))
                    .onMessages(batch -> {
                        sizes.add(batch.size());
                        for (Message message : batch) {
                            byte[] bytes = message.bytes();
                            assertThat(message.buffer().remaining()).isEqualTo(bytes.length);
                            got.add(new String(bytes, 0, Math.min(bytes.length, 6), StandardCharsets.UTF_8).trim());
                        }
                        assertThat(new TreeSet<>(batch.stream().map(message -> message.view().id().number()).toList())).hasSize(1);
                        kept.addAll(batch);
                        if (isFailing) {
                            isFailing = false;
                            throw new IllegalStateException("by the test");
                        }
                    })
                    .onView(view -> got.add("|"))
                    .join();
        }

        List<String> messages() {
            return got.stream().filter(each -> !each.equals("|")).toList();
        }
    }

    private static Components<Part> start(Cluster cluster, UnaryOperator<GroupBuilder> settings) {
        Components<Part> parts = cluster.startAll(node -> new Part(node, settings));
        cluster.awaitOneView();
        return parts;
    }

    private static List<String> sent(Group group, int count, int length) {
        List<String> texts = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            String text = "m" + (10_000 + index);
            byte[] bytes = new byte[Math.max(length, 6)];
            System.arraycopy(text.getBytes(StandardCharsets.UTF_8), 0, bytes, 0, 6);
            group.send(bytes);
            texts.add(text);
        }
        return texts;
    }

    @ParameterizedTest
    @ValueSource(strings = {"fifo", "causal", "total", "inline"})
    void messagesThatWaitComeTogetherAndInOrder(String stack) {
        try (Cluster cluster = Cluster.of(3, 1).distinctMessages(group -> true)) {
            Components<Part> parts = start(cluster, settings(stack));
            List<String> texts = new ArrayList<>();
            parts.run(1, part -> texts.addAll(sent(part.group, 5_000, 6)));
            cluster.awaitRest();
            for (Part part : parts.running()) {
                assertThat(part.messages()).isEqualTo(texts);
                assertThat(part.sizes).hasSizeLessThan(2_500).allMatch(size -> size >= 1 && size <= 1_000);
            }
            cluster.assertSafe();
        }
    }

    private static UnaryOperator<GroupBuilder> settings(String stack) {
        return switch (stack) {
            case "causal" -> GroupBuilder::causal;
            case "total" -> GroupBuilder::total;
            case "inline" -> GroupBuilder::inline;
            default -> builder -> builder;
        };
    }

    @Test
    void aSlowListenerGetsLargerBatchesOfManyPacketsAndHoldsTheSenderUp() {
        try (Cluster cluster = Cluster.of(2, 1)) {
            Components<Part> parts = start(cluster, builder -> builder.set("window", "256 KiB"));
            cluster.slow(2, Duration.ofMillis(1));
            List<String> texts = new ArrayList<>();
            parts.run(1, part -> texts.addAll(sent(part.group, 300, 10_000)));
            cluster.awaitRest(Duration.ofMinutes(2));
            assertThat(parts.on(2).messages()).isEqualTo(texts);
            assertThat(parts.on(2).sizes).as("messages of several packets of 64 KiB").anyMatch(size -> size > 8);
            assertThat(parts.on(2).sizes).as("at most the window").allMatch(size -> size <= 27);
        }
    }

    @Test
    void largeMessagesComeInTheirPlace() {
        try (Cluster cluster = Cluster.of(2, 1).distinctMessages(group -> true)) {
            Components<Part> parts = start(cluster, builder -> builder);
            parts.run(1, part -> {
                part.group.send("a");
                byte[] large = new byte[300_000];
                large[0] = 'b';
                part.group.send(large);
                part.group.send("c");
            });
            cluster.awaitRest();
            assertThat(parts.running()).allSatisfy(part -> assertThat(part.messages()).containsExactly("a", "b", "c"));
            cluster.assertSafe();
        }
    }

    @Test
    void messagesInScopesAndOutOfBandComeAlone() {
        try (Cluster cluster = Cluster.of(2, 1)) {
            Components<Part> parts = start(cluster, builder -> builder);
            parts.run(1, part -> {
                for (int index = 0; index < 10; index++) {
                    part.group.send(("s" + index).getBytes(StandardCharsets.UTF_8), Scope.of("s"));
                    part.group.send(("o" + index).getBytes(StandardCharsets.UTF_8), Scope.OUT_OF_BAND);
                }
            });
            cluster.awaitRest();
            assertThat(parts.on(2).messages()).hasSize(20);
            assertThat(parts.on(2).sizes).containsOnly(1);
        }
    }

    @Test
    void anExceptionIsThatOfItsBatchAndDeliveryGoesOn() {
        try (Cluster cluster = Cluster.of(2, 1)) {
            cluster.expectCallbackFailures(thrown -> thrown instanceof IllegalStateException);
            Components<Part> parts = start(cluster, builder -> builder);
            parts.on(2).isFailing = true;
            List<String> texts = new ArrayList<>();
            parts.run(1, part -> texts.addAll(sent(part.group, 3_000, 6)));
            cluster.awaitRest();
            assertThat(parts.on(2).messages()).as("none is given twice").isEqualTo(texts);
            assertThat(parts.on(2).node.inspection().groups().getFirst().part("delivery").value("listener-failures")).isEqualTo(1);
            assertThat(parts.on(2).isFailing).isFalse();
        }
    }

    @Test
    void anErrorIsTheLastThatTheListenerThrows() {
        try (Cluster cluster = Cluster.of(2, 1)) {
            cluster.expectCallbackFailures(thrown -> thrown instanceof StackOverflowError);
            List<Integer> sizes = new ArrayList<>();
            Components<Group> groups = cluster.startAll(node -> node.group("g")
                    .onMessages((group, batch) -> {
                        if (group.node().name().equals("n2")) {
                            sizes.add(batch.size());
                            throw new StackOverflowError("by the test");
                        }
                    })
                    .join());
            cluster.awaitOneView();
            groups.run(1, group -> sent(group, 3_000, 6));
            cluster.awaitRest();
            assertThat(sizes).hasSize(1);
            assertThat(groups.on(2).failure()).hasMessageContaining("callback onMessages has thrown java.lang.StackOverflowError: by the test");
            assertThat(groups.on(1).view().size()).isEqualTo(1);
        }
    }

    @Test
    void messagesAreOverWhenTheListenerHasReturned() {
        try (Cluster cluster = Cluster.of(2, 1)) {
            Components<Part> parts = start(cluster, builder -> builder);
            parts.run(1, part -> sent(part.group, 2_000, 6));
            cluster.awaitRest();
            assertThat(parts.on(2).kept).hasSize(2_000).allSatisfy(message -> assertThatThrownBy(message::bytes).isInstanceOf(IllegalStateException.class));
        }
    }

    @Test
    void viewsComeBetweenBatchesDuringFaults() {
        for (int seed = 1; seed <= 4; seed++) {
            try (Cluster cluster = Cluster.of(4, seed).distinctMessages(group -> true)) {
                Components<Part> parts = start(cluster, seed % 2 == 0 ? GroupBuilder::total : builder -> builder);
                AtomicInteger number = new AtomicInteger();
                parts.keep(Duration.ofMillis(5), part -> {
                    try {
                        part.group.trySend(Integer.toString(number.incrementAndGet()).getBytes(StandardCharsets.UTF_8));
                    } catch (SendException e) {
                        // It leaves.
                        assertThat(e.reason().isFinal()).isTrue();
                    }
                });
                cluster.randomFaults(Duration.ofSeconds(20)).quiet().awaitRest();
                // A member may have started again at the end.
                assertThat(parts.running()).hasSize(4).anySatisfy(part -> assertThat(part.got).contains("|").hasSizeGreaterThan(100));
                cluster.assertSafe();
            }
        }
    }

    /** A sum of what was received, which a newcomer gets. */
    private static final class Sum {
        final List<String> seen = new ArrayList<>();
        final Group group;

        Sum(Node node) {
            group = node.group("sum")
                    .total()
                    .state(new GroupState() {
                        @Override
                        public Snapshot snapshot() {
                            byte[] bytes = String.join(" ", seen).getBytes(StandardCharsets.UTF_8);
                            return new Snapshot() {
                                @Override
                                public void write(OutputStream out) throws IOException {
                                    out.write(bytes);
                                }

                                @Override
                                public long bytes() {
                                    return bytes.length;
                                }
                            };
                        }

                        @Override
                        public void install(InputStream in) throws IOException {
                            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                            seen.clear();
                            seen.addAll(text.isEmpty() ? List.of() : List.of(text.split(" ")));
                        }
                    })
                    .onMessages(batch -> batch.forEach(message -> seen.add(message.text())))
                    .join();
        }
    }

    @Test
    void aStateHasTheMessagesBeforeItAndItsReceiverThoseAfterIt() {
        for (int seed = 1; seed <= 8; seed++) {
            try (Cluster cluster = Cluster.of(4, seed)) {
                Components<Sum> sums = cluster.deploy(Sum::new);
                cluster.start(1, 2);
                cluster.awaitOneViewOf(Duration.ofSeconds(30), 1, 2);
                // So that messages wait when the view comes that brings the newcomers.
                cluster.slow(1, Duration.ofMillis(2)).slow(2, Duration.ofMillis(2));
                for (int round = 0; round < 100; round++) {
                    for (int from = 1; from <= 2; from++) {
                        for (int index = 0; index < 5; index++) {
                            sums.on(from).group.trySend((from + "," + round + "," + index).getBytes(StandardCharsets.UTF_8));
                        }
                    }
                    if (round == 30) {
                        cluster.start(3, 4);
                    }
                    cluster.advance(Duration.ofMillis(5));
                }
                cluster.awaitRest();
                assertThat(sums.on(1).seen).hasSize(1_000);
                assertThat(sums.running()).hasSize(4).allSatisfy(sum -> assertThat(sum.seen).isEqualTo(sums.on(1).seen));
            }
        }
    }

    @Test
    void theEndOfABatchIsThatOfTheListener() {
        try (Cluster cluster = Cluster.of(1, 1)) {
            Components<Node> nodes = cluster.startAll(node -> node);
            assertThatThrownBy(() -> nodes.on(1).group("g").onMessages(batch -> {}).onBatchEnd(() -> {}).join())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("group g has onMessages and onBatchEnd");
        }
    }
}
