package dev.tutti.jgroups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.testing.Await;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.jgroups.Receiver;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.MFC;
import org.jgroups.protocols.SHARED_LOOPBACK;
import org.jgroups.protocols.SHARED_LOOPBACK_PING;
import org.jgroups.protocols.UFC;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Channels of JGroups and nodes in this process, with bridges between them. */
class JGroupsBridgeTest {

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private String name = "";

    @BeforeEach
    void nameOfTheTest(TestInfo test) {
        name = test.getTestMethod().orElseThrow().getName();
    }

    @AfterEach
    void closeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private static JChannel channel(String member) throws Exception {
        return new JChannel(
                        new SHARED_LOOPBACK(),
                        new SHARED_LOOPBACK_PING(),
                        new NAKACK2(),
                        new UNICAST3(),
                        new STABLE(),
                        new GMS().setJoinTimeout(1_000),
                        new UFC(),
                        new MFC(),
                        new FRAG4())
                .name(member);
    }

    /** A program that still uses JGroups. */
    private final class Old {
        final List<String> heard = new CopyOnWriteArrayList<>();
        final JChannel channel;

        Old(String member) throws Exception {
            channel = channel(member);
            open.push(channel);
            channel.setReceiver(new Receiver() {
                @Override
                public void receive(Message message) {
                    heard.add(new String(message.getArray(), message.getOffset(), message.getLength(), StandardCharsets.UTF_8));
                }
            });
            channel.connect(name);
        }

        void send(String text) throws Exception {
            channel.send(new BytesMessage(null, text.getBytes(StandardCharsets.UTF_8)));
        }
    }

    /** A program that uses a group. */
    private final class New {
        final List<String> heard = new CopyOnWriteArrayList<>();
        final Group group;

        New(String member) {
            Node node = node(member);
            group = node.group("chat").onMessage(message -> heard.add(message.text())).join();
        }
    }

    private Node node(String member) {
        Node node = Node.local().cluster(name).name(member).start();
        open.push(node);
        return node;
    }

    private JGroupsBridge bridge(String member) throws Exception {
        JGroupsBridge bridge = JGroupsBridge.join(channel(member), name, node(member).group("chat"));
        open.push(bridge);
        return bridge;
    }

    private static void hears(List<String> heard, String... texts) {
        List<String> expected = List.of(texts);
        Await.until(() -> heard + " instead of " + expected, () -> heard.equals(expected));
    }

    /** A message is counted once it is sent, and may be heard before. */
    private static void relayed(JGroupsBridge bridge, long toGroup, long toJGroups) {
        Await.until(() -> "messages in " + bridge.status(), () -> bridge.status().get("to-group") == toGroup
                && bridge.status().get("to-jgroups") == toJGroups);
    }

    @Test
    void messagesToAllGoBothWaysOnceInTheOrderOfTheirSender() throws Exception {
        Old old = new Old("old");
        New young = new New("young");
        JGroupsBridge bridge = bridge("bridge");
        Await.until("two members", () -> young.group.view().size() == 2);
        assertThat(bridge.isRelaying()).isTrue();
        List<String> expected = new ArrayList<>();
        for (int index = 0; index < 500; index++) {
            old.send("old " + index);
            expected.add("old " + index);
        }
        hears(young.heard, expected.toArray(String[]::new));
        young.group.send("young");
        expected.add("young");
        hears(young.heard, expected.toArray(String[]::new));
        hears(old.heard, expected.toArray(String[]::new));
        relayed(bridge, 500, 1);
    }

    @Test
    void oneOfSeveralBridgesRelaysAndTheNextOneWhenItIsGone() throws Exception {
        Old old = new Old("old");
        New young = new New("young");
        JGroupsBridge first = bridge("first");
        JGroupsBridge second = bridge("second");
        Await.until("three members", () -> young.group.view().size() == 3);
        assertThat(List.of(first.isRelaying(), second.isRelaying())).containsExactly(true, false);
        old.send("a");
        young.group.send("b");
        Await.until("both messages", () -> young.heard.size() == 2 && old.heard.size() == 2);

        first.close();
        Await.until("the second bridge relays", second::isRelaying);
        assertThat(first.ended().join()).isEqualTo("the bridge is closed");
        old.send("c");
        young.group.send("d");
        Await.until("both messages of the second", () -> young.heard.size() == 4 && old.heard.size() == 4);
        assertThat(young.heard).containsExactlyInAnyOrder("a", "b", "c", "d");
        relayed(second, 1, 1);
    }

    @Test
    void messagesThatAreNotRelayedAreCountedByReason() throws Exception {
        Old old = new Old("old");
        New young = new New("young");
        JGroupsBridge bridge = bridge("bridge");
        Await.until("two members", () -> young.group.view().size() == 2 && old.channel.getView().size() == 2);
        old.channel.send(new ObjectMessage(null, "an object"));
        old.channel.send(new BytesMessage(old.channel.getView().getMembers().getLast(), new byte[1]));
        young.group.sendTo(young.group.view().members().getLast(), new byte[1]);
        Await.until(() -> "losses in " + bridge.status(), () -> bridge.status().get("lost-unicast") == 2 && bridge.status().get("lost-no-bytes") == 1);
        assertThat(bridge.status()).containsEntry("to-group", 0L).containsEntry("to-jgroups", 0L);
    }

    @Test
    void theEndOfOneSideIsTold() throws Exception {
        JChannel channel = channel("bridge");
        JGroupsBridge bridge = JGroupsBridge.join(channel, name, node("bridge").group("chat"));
        open.push(bridge);
        assertThat(bridge.ended()).isNotDone();
        channel.disconnect();
        assertThat(bridge.ended().join()).isEqualTo("the channel of JGroups is disconnected");
    }

    @Test
    void aBridgeThatCantJoinOneSideLeavesTheOther() throws Exception {
        Node node = node("bridge");
        Group taken = node.group("chat").join();
        JChannel channel = channel("bridge");
        assertThatThrownBy(() -> JGroupsBridge.join(channel, name, node.group("chat"))).isInstanceOf(IllegalStateException.class);
        assertThat(channel.isClosed()).isTrue();
        assertThat(node.groups()).containsExactly(taken);
    }
}
