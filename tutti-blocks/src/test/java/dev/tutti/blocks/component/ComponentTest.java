package dev.tutti.blocks.component;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.GroupBuilder;
import dev.tutti.GroupState;
import dev.tutti.Node;
import dev.tutti.Snapshot;
import dev.tutti.StateException;
import dev.tutti.blocks.machine.CommandException;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.Components;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls of components in a simulated cluster whose processes crash when the test says so. */
@Timeout(60)
class ComponentTest {

    enum Kind {
        ACTIVE,
        PASSIVE;

        ComponentBuilder<Stock> on(GroupBuilder group, Supplier<? extends GroupState> factory) {
            return this == ACTIVE ? Component.active(group, Stock.class, factory) : Component.passive(group, Stock.class, factory);
        }
    }

    /** Calls of a component. */
    interface Question<R> {
        R of(Stock stock) throws Exception;
    }

    /** A member with its component. */
    static final class Shop implements AutoCloseable {

        final Component<Stock> component;
        final Stock stock;
        private final Node node;

        Shop(Node node, Kind kind) {
            this.node = node;
            component = kind.on(node.group("stock"), () -> new Shelf(node)).timeout(Duration.ofSeconds(5)).join();
            stock = component.proxy();
        }

        <R> R ask(Question<R> question) {
            try {
                return question.of(stock);
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }

        /** Asks on a thread of its own. */
        <R> CompletableFuture<R> later(Question<R> question) {
            CompletableFuture<R> answer = new CompletableFuture<>();
            node.threads().start("later", () -> answer.complete(ask(question)));
            return answer;
        }

        @Override
        public void close() {
            component.close();
        }
    }

    private final Cluster cluster = Cluster.of(3, 1);

    @AfterEach
    void closeCluster() {
        cluster.close();
    }

    private Components<Shop> start(Kind kind) {
        Components<Shop> shops = cluster.deploy(node -> new Shop(node, kind));
        cluster.start(1).start(2).awaitOneView();
        return shops;
    }

    @ParameterizedTest
    @EnumSource
    void callsChangeTheStateOfAll(Kind kind) {
        Components<Shop> shops = start(kind);
        assertThat(number(shops, 1, stock -> stock.add("tea", 3))).isEqualTo(3);
        assertThat(number(shops, 2, stock -> stock.take("tea"))).isEqualTo(2);
        assertThat(number(shops, 1, stock -> stock.count("tea"))).isEqualTo(2);
        assertThat(number(shops, 2, stock -> stock.twice("tea"))).isEqualTo(4);
        assertThat(text(shops, 1, stock -> Objects.requireNonNullElse(stock.note("two left"), "nothing"))).isEqualTo("nothing");
        assertThat(text(shops, 2, stock -> Objects.requireNonNullElse(stock.note(null), "nothing"))).isEqualTo("two left");
        cluster.start(3).awaitOneView();
        assertThat(number(shops, 3, stock -> stock.countHere("tea"))).isEqualTo(2);
        assertThat(shops.on(3).stock).hasToString("proxy of component stock");
        assertThat(number(shops, 3, stock -> stock.take("tea"))).isEqualTo(1);
        assertThat(number(shops, 1, stock -> stock.countHere("tea"))).isEqualTo(1);
    }

    private static int number(Components<Shop> shops, int number, Question<Integer> question) {
        return shops.<Integer>ask(number, shop -> shop.ask(question));
    }

    private static String text(Components<Shop> shops, int number, Question<String> question) {
        return shops.ask(number, shop -> shop.ask(question));
    }

    private static String thrown(Components<Shop> shops, int number, String how) {
        return shops.ask(number, shop -> {
            try {
                switch (how) {
                    case "take" -> shop.stock.take("milk");
                    case "count" -> shop.stock.count("milk");
                    default -> shop.stock.fail(how);
                }
                return "nothing";
            } catch (Stock.SoldOutException | IOException | RuntimeException e) {
                return e.toString();
            }
        });
    }

    @Test
    void activeCallsThrowWhatTheMethodThrows() {
        Components<Shop> shops = start(Kind.ACTIVE);
        assertThat(thrown(shops, 2, "take")).isEqualTo("dev.tutti.blocks.component.Stock$SoldOutException: milk is sold out");
        assertThat(thrown(shops, 2, "count")).isEqualTo("dev.tutti.blocks.component.Stock$SoldOutException: milk is sold out");
        assertThat(thrown(shops, 1, "checked")).isEqualTo("java.io.IOException: as asked");
        assertThat(thrown(shops, 1, "unchecked")).isEqualTo("java.lang.IllegalStateException: as asked");
        assertThat(number(shops, 1, stock -> stock.add("tea", 1))).isEqualTo(1);
    }

    @Test
    void passiveCallsThrowThatTheMethodHasThrownAtThePrimary() {
        Components<Shop> shops = start(Kind.PASSIVE);
        assertThat(thrown(shops, 2, "take"))
                .isEqualTo("dev.tutti.blocks.component.ComponentException: dev.tutti.blocks.component.Stock$SoldOutException: milk is sold out");
        assertThat(thrown(shops, 2, "count")).isEqualTo("dev.tutti.blocks.component.Stock$SoldOutException: milk is sold out");
        assertThat(thrown(shops, 1, "checked")).isEqualTo("dev.tutti.blocks.component.ComponentException: java.io.IOException: as asked");
        assertThat(thrown(shops, 1, "error"))
                .isEqualTo("dev.tutti.blocks.component.ComponentException: java.lang.StackOverflowError: as asked");
        assertThat(number(shops, 1, stock -> stock.add("tea", 1))).isEqualTo(1);
    }

    @Test
    void thePrimaryAloneExecutesAndTheNextOneWhenItCrashes() {
        Components<Shop> shops = start(Kind.PASSIVE);
        cluster.start(3).awaitOneView();
        assertThat(text(shops, 3, stock -> stock.slowly("tea"))).isEqualTo("n1 1");
        CompletableFuture<String> first = shops.on(3).later(stock -> stock.slowly("tea"));
        CompletableFuture<String> second = shops.on(2).later(stock -> stock.slowly("tea"));
        cluster.advance(Shelf.SLOW.dividedBy(2)).crash(1);
        cluster.advanceUntil("both calls have returned", Duration.ofSeconds(4), () -> first.isDone() && second.isDone());
        assertThat(first).isCompletedWithValue("n1 n2 2");
        assertThat(second).isCompletedWithValue("n1 n2 n2 3");
        cluster.awaitRest();
        assertThat(number(shops, 3, stock -> stock.countHere("tea"))).isEqualTo(3);
        assertThat(shops.on(2).component.status()).containsEntry("waiting-requests", 0L).containsEntry("open-calls", 0L).containsEntry("version", 3L);
    }

    @Test
    void aCallThatIsNotExecutedInTimeIsToldAsUnknown() {
        Components<Shop> shops = start(Kind.PASSIVE);
        CompletableFuture<String> call = shops.on(2).later(stock -> {
            try {
                return stock.slowly("tea");
            } catch (CommandException e) {
                return e.reason() + " " + e.execution();
            }
        });
        cluster.advance(Shelf.SLOW.dividedBy(2)).pause(1).advance(Duration.ofMillis(200));
        shops.on(2).component.close();
        cluster.advanceUntil("the call has ended", Duration.ofSeconds(6), call::isDone);
        assertThat(call).isCompletedWithValue("CLOSED UNKNOWN");
    }

    /** A later version of the interface. */
    public interface LaterStock extends Stock {
        void clear();
    }

    /** An implementation of it. */
    private static final class LaterShelf implements LaterStock, GroupState {

        private final Shelf shelf;

        LaterShelf(Node node) {
            shelf = new Shelf(node);
        }

        @Override
        public void clear() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int add(String item, int count) {
            return shelf.add(item, count);
        }

        @Override
        public int take(String item) throws SoldOutException {
            return shelf.take(item);
        }

        @Override
        public @Nullable String note(@Nullable String text) {
            return shelf.note(text);
        }

        @Override
        public String slowly(String item) {
            return shelf.slowly(item);
        }

        @Override
        public int count(String item) throws SoldOutException {
            return shelf.count(item);
        }

        @Override
        public int countHere(String item) {
            return shelf.countHere(item);
        }

        @Override
        public void fail(String how) throws IOException {
            shelf.fail(how);
        }

        @Override
        public Snapshot snapshot() {
            return shelf.snapshot();
        }

        @Override
        public void install(InputStream in) throws IOException {
            shelf.install(in);
        }
    }

    @ParameterizedTest
    @EnumSource
    void membersWithOtherMethodsAreToldWhichOnes(Kind kind) {
        Components<AutoCloseable> members = cluster.deploy(node -> {
            if (!node.name().equals("n2")) {
                return new Shop(node, kind);
            }
            Supplier<LaterShelf> factory = () -> new LaterShelf(node);
            ComponentBuilder<LaterStock> builder = kind == Kind.ACTIVE
                    ? Component.active(node.group("stock"), LaterStock.class, factory)
                    : Component.passive(node.group("stock"), LaterStock.class, factory);
            try (Component<LaterStock> joined = builder.join()) {
                throw new AssertionError("joined as " + joined);
            } catch (StateException e) {
                String text = e.toString() + e.getCause();
                return () -> assertThat(text).contains("component stock has other methods at the other members", "stock.clear()void");
            }
        });
        cluster.start(1).start(2);
        assertThat(members.on(2)).isNotInstanceOf(Shop.class);
        assertThat(members.<String>ask(2, told -> {
            try {
                told.close();
                return "told";
            } catch (Exception e) {
                return e.toString();
            }
        })).isEqualTo("told");
    }

    @Test
    void aStateThatIsTooLongToBeSentIsRefused() {
        Components<GroupState> states = cluster.deploy(Shelf::new);
        cluster.start(1);
        assertThat(Images.bytesOf(states.on(1), 100)).hasSizeLessThan(100);
        assertThatThrownBy(() -> Images.bytesOf(states.on(1), 5))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("more than 5 bytes");
    }

    interface Later {
        CompletableFuture<Integer> soon();
    }

    @Test
    void wrongInterfacesAndFactoriesAreRefused() {
        Components<String> refusals = cluster.deploy(node -> {
            assertThatThrownBy(() -> Component.active(node.group("a"), Later.class, () -> new Shelf(node)).join())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a.soon()Integer")
                    .hasMessageContaining("methods of components return the value itself");
            assertThatThrownBy(() -> Component.active(node.group("b"), Runnable.class, () -> new Shelf(node)).join())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is no java.lang.Runnable");
            return "refused";
        });
        cluster.start(1);
        assertThat(refusals.on(1)).isEqualTo("refused");
    }
}
