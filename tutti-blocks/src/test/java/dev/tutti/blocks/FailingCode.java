package dev.tutti.blocks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Event;
import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.function.Function;

/**
 * Code of an application that fails at n1, for {@code bad}, and assertions about the effects. The seed selects the exception.
 */
final class FailingCode {

    static final int WAYS = 5;
    static final String BAD = "bad";

    private Failure failure = Failure.RUNTIME_EXCEPTION;
    private boolean isArmed;

    /** Lets code fail from now on. */
    void arm() {
        isArmed = true;
    }

    void failAt(Node node, Object argument) {
        if (isArmed && node.name().equals("n1") && argument.equals(BAD)) {
            failure.raise();
        }
    }

    Failure failure() {
        return failure;
    }

    void begin(Cluster cluster) {
        failure = Failure.values()[(int) (cluster.seed() % WAYS)];
        cluster.expectCallbackFailures(thrown -> true);
    }

    <C> Components<C> startAll(Cluster cluster, Function<? super Node, ? extends C> component) {
        begin(cluster);
        Components<C> components = cluster.startAll(component);
        cluster.awaitOneView();
        return components;
    }

    static Group group(Cluster cluster, int number) {
        return cluster.node(number).groups().getFirst();
    }

    static boolean hasLeft(Cluster cluster, int number) {
        return cluster.node(number).groups().isEmpty();
    }

    /** Asserts that the failure was reported, and that the member is still in the group. */
    void assertGoesOn(Cluster cluster, String callback) {
        cluster.awaitRest();
        assertTold(cluster, callback);
        assertThat(group(cluster, 1).view().size()).isEqualTo(cluster.size());
        assertThat(cluster.node(1).health().reasons()).anySatisfy(reason -> assertThat(reason).contains("callback").contains(failure.type()));
    }

    void assertTold(Cluster cluster, String callback) {
        assertThat(cluster.node(1).events(0).list()).anySatisfy(event -> {
            assertThat(event.kind()).isEqualTo(Event.Kind.CALLBACK_FAILED);
            assertThat(event.text()).contains("callback " + callback).contains(failure.type());
        });
        assertThat(cluster.node(2).events(0).list()).noneMatch(event -> event.kind() == Event.Kind.CALLBACK_FAILED);
    }

    /** Asserts that the member has left at once, with the cause, and that its node and the others continue. */
    void assertLeaves(Cluster cluster, String callback) {
        cluster.advanceUntil("n1 leaves", Duration.ofSeconds(1), () -> hasLeft(cluster, 1));
        cluster.awaitRest();
        assertTold(cluster, callback);
        assertThat(group(cluster, 2).view().size()).isEqualTo(cluster.size() - 1);
        assertThat(cluster.node(1).health().isAlive()).isTrue();
        assertThat(cluster.story()).anySatisfy(line -> assertThat(line).contains(callback).contains(failure.type()));
    }

    void assertFate(Cluster cluster, String callback) {
        if (failure.isError()) {
            assertLeaves(cluster, callback);
        } else {
            assertGoesOn(cluster, callback);
        }
    }

    /** Returns a codec of texts that fails to take them. */
    Codec<String> failingToTake(Node node) {
        return new Codec<>() {
            @Override
            public void put(String text, ByteOutput out) {
                out.putText(text);
            }

            @Override
            public String take(ByteInput in) {
                String text = in.takeText();
                failAt(node, text);
                return text;
            }
        };
    }

    /** Returns a codec of texts that fails half-way through putting them. */
    Codec<String> failingToPut(Node node) {
        return Codec.of(ByteInput::takeText, (text, out) -> {
            out.putInt(7);
            failAt(node, text);
            throw new AssertionError("only bad ones are put here");
        });
    }
}
