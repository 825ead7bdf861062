package dev.tutti.protocols.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.protocols.node.TestNetwork.Node;
import dev.tutti.protocols.node.TestNetwork.TestGroup;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A session outlives its connections: nothing is lost, nothing comes twice, nobody above notices. */
class LinkResumeTest {

    private static final int MESSAGES = 40;

    /** Two nodes with a stream each way; what the network does meanwhile is up to the test. */
    private static final class Story {
        final TestNetwork network = new TestNetwork();
        final Node a;
        final Node b;
        final TestGroup one;
        final TestGroup two;
        int sent;

        Story(String... seedsOfA) {
            a = network.node("a", 1, seedsOfA).start();
            b = network.node("b", 2, "host:1").start();
            one = a.join("g");
            two = b.join("g");
        }

        void meet() {
            network.runUntil(
                    10 * TestNetwork.SECOND, () -> one.members().size() == 2 && two.members().size() == 2);
        }

        void send() {
            one.send("a" + sent);
            two.send("b" + sent);
            sent++;
        }

        void assertExact() {
            assertExact("");
        }

        void assertExact(String what) {
            String story = what + "\na: " + a.log() + "\nb: " + b.log();
            assertThat(String.join(" ", two.received)).as(story).isEqualTo(String.join(" ", expected("a")));
            assertThat(String.join(" ", one.received)).as(story).isEqualTo(String.join(" ", expected("b")));
        }

        void assertNobodyNoticed() {
            assertThat(one.signals()).containsExactly("opened b");
            assertThat(two.signals()).containsExactly("opened a");
        }

        void assertOneConnection() {
            assertThat(network.connected(a, b)).hasSize(1);
        }

        private List<String> expected(String sender) {
            return IntStream.range(0, sent).mapToObj(index -> sender + ":" + sender + index).toList();
        }
    }

    @Test
    void aBreakAtAnyFrameLosesNothing() {
        for (int breakAt = 1; breakAt <= 2 * MESSAGES + 20; breakAt++) {
            Story story = new Story("host:2");
            story.network.breakAtFrame = breakAt;
            story.meet();
            for (int index = 0; index < MESSAGES; index++) {
                story.send();
                story.network.run(TestNetwork.MS / 20);
            }
            story.network.run(2 * TestNetwork.SECOND);
            story.assertExact();
            story.assertOneConnection();
            story.assertNobodyNoticed();
        }
    }

    @Test
    void aSecondBreakWhileTheFirstIsBeingRepairedLosesNothing() {
        for (int second = 1; second <= 60; second++) {
            Story story = new Story("host:2");
            story.meet();
            story.network.breakAtFrame = story.network.framesWritten + 20 + second;
            for (int index = 0; index < MESSAGES; index++) {
                story.send();
                if (index == 10) {
                    story.network.breakBetween(story.a, story.b);
                }
                story.network.run(TestNetwork.MS / 20);
            }
            story.network.run(2 * TestNetwork.SECOND);
            story.assertExact();
            story.assertOneConnection();
            story.assertNobodyNoticed();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void connectionsThatBreakAtRandomLoseNothing(int part) {
        for (int seed = part * 50; seed < part * 50 + 50; seed++) {
            Story story = new Story("host:2", "host:2");
            story.network.seed(seed);
            SplittableRandom random = new SplittableRandom(seed);
            story.meet();
            for (int index = 0; index < 100; index++) {
                story.send();
                switch (random.nextInt(12)) {
                    case 0 -> story.network.breakBetween(story.a, story.b);
                    case 1 -> story.network.breakAt(story.a, story.b);
                    case 2 -> story.network.breakAt(story.b, story.a);
                    default -> {}
                }
                story.network.run(random.nextLong(8 * TestNetwork.MS));
            }
            story.network.run(6 * TestNetwork.SECOND);
            story.assertExact("seed " + seed);
            story.assertOneConnection();
            story.assertNobodyNoticed();
        }
    }

    @Test
    void aBreakThatOnlyOneSideNoticesIsRepaired() {
        Story story = new Story();
        story.meet();
        story.network.breakAt(story.a, story.b);
        story.send();
        story.network.run(100 * TestNetwork.MS);
        story.network.breakAt(story.b, story.a);
        story.send();
        story.network.run(100 * TestNetwork.MS);
        story.assertExact();
        story.assertNobodyNoticed();
        assertThat(story.a.log()).contains("session with b (host:2) goes on over a new connection");
    }

    @Test
    void packetsThatFillSeveralAcknowledgementsAreReleasedOnceTheyAreConfirmed() {
        Story story = new Story();
        story.meet();
        for (int index = 0; index < 100; index++) {
            story.one.send(null, new byte[30_000]);
        }
        story.network.run(50 * TestNetwork.MS);
        assertThat(story.a.memory.blocks()).isLessThan(10);
        story.network.run(3 * TestNetwork.SECOND);
        assertThat(story.a.memory.blocks()).isZero();
        assertThat(story.two.received).hasSize(100);
    }

    @Test
    void aFullResendBufferClosesTheSession() {
        TestNetwork network = new TestNetwork();
        Node a = network.node("a", 1, s -> s.with(NodeSettings.RESEND_BUFFER,
                dev.tutti.core.settings.Size.mebibytes(1))).start();
        Node b = network.node("b", 2, "host:1").start();
        TestGroup one = a.join("g");
        TestGroup two = b.join("g");
        network.runUntil(TestNetwork.SECOND, () -> one.members().size() == 2 && two.members().size() == 2);
        b.freeze();
        for (int index = 0; index < 40; index++) {
            one.send(null, new byte[30_000]);
        }
        assertThat(one.signals()).last().asString().startsWith("lost b: more than link.resend-buffer (1048576 bytes)");
        assertThat(a.memory.blocks()).isZero();
        b.thaw();
        network.runUntil(5 * TestNetwork.SECOND, () -> one.members().size() == 2 && two.members().size() == 2);
        assertThat(two.signals()).contains("lost a: the other side has closed the session").last().isEqualTo("opened a");
        // The frames that arrived of the old session are a prefix of those sent.
        assertThat(two.received.size()).isLessThanOrEqualTo(35);
    }

    @Test
    void aSessionThatOneSideHasClosedEndsAtTheOtherBeforeANewOneBegins() {
        Story story = new Story();
        story.meet();
        story.one.expel(story.two.self);
        story.network.run(2 * TestNetwork.SECOND);
        assertThat(story.one.signals()).containsExactly("opened b", "lost b: expelled from group g: for a test", "opened b");
        assertThat(story.two.signals()).hasSize(3).last().isEqualTo("opened a");
        assertThat(story.two.signals().get(1)).startsWith("lost a");
        story.sent = 0;
        story.send();
        story.network.run(TestNetwork.SECOND);
        story.assertExact();
        story.assertOneConnection();
    }
}
