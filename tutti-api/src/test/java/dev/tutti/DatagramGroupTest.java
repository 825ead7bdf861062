package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.driver.TransportSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes and groups on UDP from an application's view, on real sockets of this machine. */
@Timeout(60)
class DatagramGroupTest {

    private static final String SECRET = "VzWMk0mYHkV3pXc1r9c8sTnQ2uJbE4dLxG7oAqZf5Hs";
    private static final String OTHER_SECRET = "g8RrN1wq6Jt0Yb5LzXc3VmKd9PfUhSa2EoTiQy7CjDk";

    private final List<Node> nodes = new ArrayList<>();

    @AfterEach
    void closeAll() {
        nodes.forEach(Node::close);
    }

    private Node node(String name, String multicast) {
        return node(name, multicast, "");
    }

    private Node node(String name, String multicast, String secret) {
        // Silence proves nothing within a test: neither that a member has gone, nor that it waits for a processor.
        NodeBuilder builder = Node.udp(0)
                .name(name)
                .set(TransportSettings.MULTICAST_ADDRESS, multicast)
                .set(TransportSettings.SECRET, secret)
                .set("detection.timeout", "1 min");
        if (!nodes.isEmpty()) {
            builder.seeds(nodes.getFirst().address());
        }
        Node node = builder.start();
        nodes.add(node);
        return node;
    }

    @ParameterizedTest
    @CsvSource({"'', false", "239.192.78.53:17853, false", "'', true", "239.192.78.54:17854, true"})
    void membersSeeOneViewAndEachOthersMessages(String multicast, boolean isSecure) throws InterruptedException {
        String secret = isSecure ? SECRET : "";
        List<Recorder> recorders = List.of(new Recorder(), new Recorder(), new Recorder());
        List<Group> groups = new ArrayList<>();
        for (int index = 0; index < 3; index++) {
            groups.add(recorders.get(index).on(node("n" + index, multicast, secret).group("chat")).join());
        }
        for (Recorder recorder : recorders) {
            recorder.awaitViewOf(3);
        }
        for (int index = 0; index < 3; index++) {
            for (int number = 0; number < 500; number++) {
                groups.get(index).send(index + ":" + number + ":" + "x".repeat(number));
            }
        }
        for (Recorder recorder : recorders) {
            recorder.awaitMessages(1_500);
            for (int index = 0; index < 3; index++) {
                String sender = index + ":";
                List<String> texts = recorder.texts().stream().filter(text -> text.startsWith(sender)).toList();
                assertThat(texts).hasSize(500);
                assertThat(texts.getLast()).isEqualTo(index + ":499:" + "x".repeat(499));
            }
        }
    }

    @Test
    void largeMessageArrivesWhole() throws InterruptedException {
        Recorder one = new Recorder();
        Recorder two = new Recorder();
        Group first = one.on(node("a", "").group("g")).join();
        two.on(node("b", "").group("g")).join();
        one.awaitViewOf(2);
        byte[] large = new byte[3_000_000];
        Arrays.fill(large, (byte) 'y');
        first.send(large);
        two.awaitMessages(1);
        assertThat(two.messages().getLast().length()).isEqualTo(large.length);
    }

    @Test
    void aNodeWithAnotherSecretDoesNotJoin() throws InterruptedException {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        Recorder one = new Recorder();
        one.on(node("a", "", SECRET).group("g")).join();
        Node other = Node.udp(0)
                .name("b")
                .secret(OTHER_SECRET)
                .seeds(nodes.getFirst().address())
                .onTrouble(told::add)
                .start();
        nodes.add(other);
        Recorder two = new Recorder();
        two.on(other.group("g")).join();
        assertThat(two.awaitViewOf(1).members()).hasSize(1);
        assertThat(told.poll(30, TimeUnit.SECONDS)).contains("not signed by an authority that is trusted here");
    }

    @Test
    void closeSaysGoodbye() throws InterruptedException {
        Recorder one = new Recorder();
        one.on(node("a", "").group("g")).join();
        new Recorder().on(node("b", "").group("g")).join();
        one.awaitViewOf(2);
        nodes.removeLast().close();
        assertThat(one.awaitViewOf(1).members()).hasSize(1);
    }
}
