package dev.tutti.blocks.typed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Group;
import dev.tutti.Node;
import dev.tutti.SendException;
import dev.tutti.SendOptions;
import dev.tutti.Stability;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.util.ArrayList;
import java.util.List;

/** Stories of groups with values. */
class TypedGroupTest {

    sealed interface Event {}

    record Said(String who, String text) implements Event {}

    record Moved(int x, int y) implements Event {}

    private static final class Chat {
        final List<String> heard = new ArrayList<>();
        final TypedGroup<Event> group;

        Chat(Node node) {
            group = TypedGroup.on(node.group("chat"), Event.class)
                    .onMessage((joined, message) -> {
                        heard.add(message.sender().node().name() + (message.isUnicast() ? " to me " : " ") + message.value());
                        if (message.value() instanceof Said said && said.text().equals("ping")) {
                            joined.sendToAsync(message.sender(), new Said(said.who(), "pong"));
                        }
                    })
                    .join();
        }
    }

    private static Components<Chat> start(Cluster cluster) {
        Components<Chat> chats = cluster.startAll(Chat::new);
        cluster.awaitOneView();
        return chats;
    }

    @ClusterTest(nodes = 3, seeds = 3)
    void valuesArriveInOrderAtAll(Cluster cluster) {
        Components<Chat> chats = start(cluster);
        chats.run(1, chat -> {
            chat.group.send(new Said("ann", "hello"));
            assertThat(chat.group.trySend(new Moved(1, 2))).isTrue();
            chat.group.sendAsync(new Moved(3, 4)).join();
        });
        cluster.awaitRest();
        assertThat(chats.running())
                .extracting(chat -> chat.heard)
                .containsOnly(List.of("n1 Said[who=ann, text=hello]", "n1 Moved[x=1, y=2]", "n1 Moved[x=3, y=4]"));
    }

    @ClusterTest(nodes = 2, seeds = 3)
    void aValueIsAnsweredFromTheListenerAndHasAReceipt(Cluster cluster) {
        Components<Chat> chats = start(cluster);
        chats.run(1, chat -> chat.group.sendTo(chats.on(2).group.self(), new Said("ann", "ping")));
        var receipt = chats.ask(2, chat -> chat.group.sendStable(new Moved(0, 0), Stability.ALL));
        cluster.awaitRest();
        assertThat(chats.on(2).heard).contains("n1 to me Said[who=ann, text=ping]");
        assertThat(chats.on(1).heard).contains("n2 to me Said[who=ann, text=pong]");
        assertThat(receipt.join().isByAll()).isTrue();
    }

    @ClusterTest(nodes = 2, seeds = 3)
    void bytesThatAreNoValueArePassedOverAndCounted(Cluster cluster) {
        cluster.expectCallbackFailures(thrown -> thrown instanceof MalformedException);
        Components<Chat> chats = start(cluster);
        chats.run(1, chat -> {
            Group raw = chat.group.group();
            raw.send("no value");
            chat.group.send(new Moved(5, 6));
        });
        cluster.awaitRest();
        assertThat(chats.running()).allSatisfy(chat -> {
            assertThat(chat.heard).containsExactly("n1 Moved[x=5, y=6]");
            assertThat(chat.group.malformed()).isEqualTo(1);
        });
    }

    @ClusterTest(nodes = 1, seeds = 1)
    @SuppressWarnings("NullAway") // what careless users do
    void valuesThatCantBeWrittenAreRefusedByTheSend(Cluster cluster) {
        Components<Chat> chats = start(cluster);
        chats.run(1, chat -> {
            assertThatThrownBy(() -> chat.group.send(new Said(null, "x"))).hasMessageStartingWith("Said.who is null;");
            assertThatThrownBy(() -> chat.group.send(null)).hasMessage("Event is null");
            chat.group.close();
            assertThatThrownBy(() -> chat.group.send(new Moved(1, 1))).isInstanceOf(SendException.class);
        });
        assertThat(chats.on(1).heard).isEmpty();
    }

    /** Takes values in batches. */
    private static final class Ledger {
        final List<Event> heard = new ArrayList<>();
        final TypedGroup<Event> group;
        int batches;

        Ledger(Node node) {
            group = TypedGroup.on(node.group("ledger"), Event.class)
                    .onMessages(batch -> {
                        batches++;
                        batch.forEach(message -> heard.add(message.value()));
                    })
                    .join();
        }
    }

    @ClusterTest(nodes = 2, seeds = 3)
    void valuesInBatchesLeaveOutBytesThatAreNone(Cluster cluster) {
        cluster.expectCallbackFailures(thrown -> thrown instanceof MalformedException
                && String.valueOf(thrown.getMessage()).contains("a message of n1"));
        Components<Ledger> ledgers = cluster.startAll(Ledger::new);
        cluster.awaitOneView();
        ledgers.run(1, ledger -> {
            for (int index = 0; index < 500; index++) {
                ledger.group.send(new Moved(index, 0));
                if (index % 100 == 50) {
                    ledger.group.group().send("no value");
                }
            }
            ledger.group.send(new Said("ann", "to the others"), SendOptions.NOT_TO_SELF);
            assertThat(ledger.group.trySend(new Said("ann", "to all"), SendOptions.DEFAULT)).isTrue();
        });
        cluster.awaitRest();
        assertThat(ledgers.on(1).heard).hasSize(501).contains(new Said("ann", "to all"));
        assertThat(ledgers.on(2).heard).hasSize(502).startsWith(new Moved(0, 0), new Moved(1, 0)).contains(new Said("ann", "to the others"));
        assertThat(ledgers.running()).allSatisfy(ledger -> {
            assertThat(ledger.group.malformed()).isEqualTo(5);
            assertThat(ledger.batches).isLessThan(250);
        });
    }
}
