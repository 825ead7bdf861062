package dev.tutti.blocks.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.Codecs;
import dev.tutti.core.Member;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ServiceTest {

    public record Item(String name, int count) {
        static final Codec<Item> CODEC = Codec.of(
                in -> new Item(in.takeText(), in.takeInt()), (item, out) -> out.putText(item.name()).putInt(item.count()));
    }

    public interface Store {
        void put(String key, Item item);

        Item get(String key);

        @Inline
        int size();

        CompletableFuture<List<String>> keys();

        long fail(boolean isFailing) throws InterruptedException;

        default boolean isEmpty() {
            return size() == 0;
        }
    }

    interface Starter {
        void start(Thread thread);
    }

    /** An older version of the service. */
    interface OldStore {
        void put(String key, String item);

        int size();
    }

    private static final Codecs CODECS = Codecs.standard().with(Item.class, Item.CODEC);
    private static final Service<Store> STORE = Service.of("store", Store.class, CODECS);
    private static final Service<OldStore> OLD_STORE = Service.of("store", OldStore.class, CODECS);

    private static final class Server implements Store {
        private final TreeMap<String, Item> items = new TreeMap<>();
        private final Calls calls;

        Server(Node node) {
            calls = Calls.on(node.group("store")).serve(STORE, this).join();
        }

        Store at(Member member) {
            return calls.to(member).within(Duration.ofSeconds(1)).proxy(STORE);
        }

        @Override
        public void put(String key, Item item) {
            items.put(key, item);
        }

        @Override
        public Item get(String key) {
            return items.get(key);
        }

        @Override
        public int size() {
            return items.size();
        }

        @Override
        public CompletableFuture<List<String>> keys() {
            return CompletableFuture.completedFuture(List.copyOf(items.keySet()));
        }

        @Override
        public long fail(boolean isFailing) throws InterruptedException {
            throw new InterruptedException("as it was told");
        }
    }

    private final Cluster cluster = Cluster.of(2, 1);
    private final Components<Server> servers = cluster.startAll(Server::new);

    @AfterEach
    void closeCluster() {
        cluster.close();
    }

    private Member second() {
        cluster.awaitOneView();
        return servers.on(2).calls.self();
    }

    @Test
    void methodsAreCalledAtAnotherMember() {
        Member second = second();
        servers.run(1, server -> {
            Store store = server.at(second);
            assertThat(store.isEmpty()).isTrue();
            store.put("a", new Item("apple", 3));
            store.put("b", null);
            assertThat(store.get("a")).isEqualTo(new Item("apple", 3));
            assertThat(store.get("b")).isNull();
            assertThat(store.size()).isEqualTo(2);
            assertThat(server.size()).isZero();
            assertThat(store).hasToString("proxy of store").isEqualTo(store).isNotEqualTo(server.at(second));
        });
        CompletableFuture<List<String>> keys = servers.on(1).at(second).keys();
        cluster.advance(Duration.ofSeconds(1));
        assertThat(keys.join()).containsExactly("a", "b");
    }

    @Test
    void exceptionsComeAsData() {
        Member second = second();
        servers.run(1, server -> assertThatThrownBy(() -> server.at(second).fail(true))
                .isInstanceOfSatisfying(CallException.class, e -> assertThat(e.outcome())
                        .isEqualTo(new Outcome.Failure<>("java.lang.InterruptedException", "as it was told"))));
    }

    @Test
    void methodsAreCalledAtSeveralMembers() {
        second();
        servers.on(1).put("mine", new Item("pear", 1));
        Outcomes<Integer> sizes = servers.ask(1, server -> server.calls.toAll().call(STORE, Store::size));
        assertThat(sizes.values()).containsExactlyInAnyOrder(1, 0);
        CompletableFuture<Outcomes<Item>> items =
                servers.on(2).calls.toOthers().start(STORE, store -> store.get("mine"));
        cluster.advance(Duration.ofSeconds(1));
        assertThat(items.join().values()).containsExactly(new Item("pear", 1));
        CallToMany all = servers.on(1).calls.toAll();
        assertThatThrownBy(() -> all.call(STORE, store -> "nothing")).hasMessageContaining("not 0");
        assertThatThrownBy(() -> all.call(STORE, store -> store.size() + store.size())).hasMessageContaining("not 2");
        assertThatThrownBy(() -> all.call(STORE, Store::keys)).hasMessageContaining("keys returns a future");
    }

    @Test
    void methodOfAnotherVersionIsRefusedAndTheSameOneIsNot() {
        Member second = second();
        servers.run(1, server -> {
            OldStore old = server.calls.to(second).proxy(OLD_STORE);
            assertThat(old.size()).isZero();
            assertThatThrownBy(() -> old.put("a", "b"))
                    .isInstanceOf(CallException.class)
                    .hasMessageContaining("NO_PROCEDURE")
                    .hasMessageContaining("store.put(String,Item)void");
        });
    }

    @Test
    void interfacesThatCannotBeServedAreExplained() {
        assertThatThrownBy(() -> Service.of("store", Server.class, CODECS)).hasMessageContaining("is no interface");
        assertThatThrownBy(() -> Service.of("starter", Starter.class, Codecs.standard()))
                .hasMessageContaining("there is no codec for java.lang.Thread");
    }

    @Test
    void twoProceduresOfOneNameAreRefused() {
        cluster.awaitOneView();
        Node node = cluster.node(1);
        Server server = servers.on(1);
        assertThatThrownBy(() -> Calls.on(node.group("other")).serve(STORE, server).serve(STORE, server).join())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("have one number");
    }
}
