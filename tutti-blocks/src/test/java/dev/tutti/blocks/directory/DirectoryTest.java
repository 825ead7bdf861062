package dev.tutti.blocks.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.directory.DirectoryException.Reason;
import dev.tutti.blocks.merge.Merge;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Stories of directories. */
class DirectoryTest {

    private UnaryOperator<DirectoryBuilder<String>> settings = UnaryOperator.identity();

    private static DirectoryPath path(String text) {
        return DirectoryPath.of(text);
    }

    private static final class Holder {
        final Directory<String> directory;
        final List<DirectoryEvent<String>> events = new ArrayList<>();
        final Map<DirectoryPath, String> told = new TreeMap<>();
        private int works;

        Holder(Node node, UnaryOperator<DirectoryBuilder<String>> settings) {
            directory = settings.apply(Directory.on(node.group("names"), Codec.TEXT).timeout(Duration.ofSeconds(5)))
                    .join();
            directory.values().forEach(told::put);
            directory.listen(DirectoryPath.ROOT, this::onEvent);
            directory.listen(path("app"), events::add);
        }

        private void onEvent(DirectoryEvent<String> event) {
            String value = event.value();
            String before = value == null ? told.remove(event.path()) : told.put(event.path(), value);
            assertThat(before).as("%s", event).isEqualTo(event.previous());
        }

        void work(Cluster cluster) {
            works++;
            DirectoryPath context = path("c" + cluster.random().nextInt(4));
            DirectoryPath name = context.child("n" + cluster.random().nextInt(4));
            DirectoryPath deep = name.child("d");
            try {
                switch (cluster.random().nextInt(9)) {
                    case 0, 1 -> directory.createContext(context);
                    case 2 -> directory.bind(name, directory.self() + " " + works);
                    case 3 -> directory.rebind(name, directory.self() + " " + works);
                    case 4 -> directory.unbind(name);
                    case 5 -> directory.destroyContext(context);
                    case 6 -> directory.createContext(name);
                    case 7 -> directory.bind(deep, "deep");
                    default -> directory.rename(context, path("c" + cluster.random().nextInt(4)));
                }
            } catch (DirectoryException e) {
                assertThat(e.reason()).isNotEqualTo(Reason.FULL);
            }
        }
    }

    private Components<Holder> startAll(Cluster cluster) {
        Components<Holder> holders = cluster.startAll(node -> new Holder(node, settings));
        cluster.awaitOneView();
        return holders;
    }

    /** Returns every name with its value, contexts with a slash. */
    private static List<String> tree(Directory<String> directory, DirectoryPath context) {
        List<String> all = new ArrayList<>();
        for (Directory.Entry<String> each : directory.list(context)) {
            DirectoryPath path = context.child(each.name());
            all.add(path + (each.isContext() ? "/" : "=" + each.value()));
            if (each.isContext()) {
                all.addAll(tree(directory, path));
            }
        }
        return all;
    }

    private static List<String> tree(Holder holder) {
        return tree(holder.directory, DirectoryPath.ROOT);
    }

    private static void assertAlike(Cluster cluster, Components<Holder> holders) {
        // Duties of a member for all follow what it sees, and are also done on a timer.
        cluster.awaitRest().advance(Duration.ofMillis(500)).awaitRest();
        List<Holder> running = holders.running();
        List<String> first = tree(running.getFirst());
        assertThat(running).allSatisfy(holder -> {
            assertThat(tree(holder)).isEqualTo(first);
            assertThat(holder.directory.size()).isEqualTo(first.size());
            assertThat(holder.told).isEqualTo(holder.directory.values());
            assertThat(holder.directory.status()).containsEntry("to-bring-in", 0L);
        });
    }

    private static void assertRefused(Reason reason, int resolved, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(DirectoryException.class, e -> {
            assertThat(e.reason()).isEqualTo(reason);
            assertThat(e.resolved()).isEqualTo(resolved);
        });
    }

    @ClusterTest(nodes = 3, seeds = 3)
    void namesAreInContextsThatThereAre(Cluster cluster) {
        Components<Holder> holders = startAll(cluster);
        holders.run(1, holder -> {
            Directory<String> names = holder.directory;
            assertRefused(Reason.NOT_FOUND, 0, () -> names.bind(path("app/db"), "x"));
            names.createContext(path("app"));
            names.bind(path("app/db"), "one");
            assertRefused(Reason.ALREADY_BOUND, 2, () -> names.bind(path("app/db"), "two"));
            assertRefused(Reason.NOT_A_CONTEXT, 2, () -> names.bind(path("app/db/deep"), "x"));
            assertRefused(Reason.IS_A_CONTEXT, 1, () -> names.rebind(path("app"), "x"));
            assertRefused(Reason.IS_A_CONTEXT, 1, () -> names.unbind(path("app")));
            assertRefused(Reason.NOT_EMPTY, 1, () -> names.destroyContext(path("app")));
            assertRefused(Reason.NOT_A_CONTEXT, 2, () -> names.destroyContext(path("app/db")));
            assertRefused(Reason.NOT_FOUND, 1, () -> names.lookup(path("app/none")));
            assertRefused(Reason.IS_A_CONTEXT, 1, () -> names.lookup(path("app")));
            names.rebind(path("app/db"), "two");
            names.unbind(path("app/none"));
            assertThat(names.lookup(path("app/db"))).isEqualTo("two");
            names.createContext(path("app/sub"));
            names.bind(path("app/sub/a\u0001"), "v");
            names.rename(path("app/sub"), path("moved"));
            assertRefused(Reason.ALREADY_BOUND, 2, () -> names.rename(path("moved"), path("moved/in")));
        });
        assertAlike(cluster, holders);
        assertThat(tree(holders.on(3))).containsExactly("app/", "app/db=two", "moved/", "moved/a\u0001=v");
        assertThat(holders.on(3).events)
                .contains(new DirectoryEvent<>(DirectoryEvent.Kind.CHANGED, path("app/db"), "one", "two", false))
                .extracting(DirectoryEvent::path)
                .doesNotContain(path("moved"));
        holders.run(2, holder -> {
            holder.directory.unbind(path("app/db"));
            holder.directory.destroyContext(path("app"));
            holder.directory.destroyContext(path("app"));
        });
        assertAlike(cluster, holders);
        assertThat(tree(holders.on(1))).containsExactly("moved/", "moved/a\u0001=v");
    }

    @ClusterTest(nodes = 3, seeds = 10)
    @Tag("seeds")
    void oneOfTwoThatBindANameAtATimeIsRefused(Cluster cluster) {
        Components<Holder> holders = startAll(cluster);
        List<String> bound = new ArrayList<>();
        holders.keep(Duration.ofMillis(5), holder -> {
            String value = holder.directory.self().name();
            try {
                holder.directory.bind(path("leader"), value);
                bound.add(value);
            } catch (DirectoryException e) {
                assertThat(e.reason()).isEqualTo(Reason.ALREADY_BOUND);
            }
        });
        cluster.advance(Duration.ofMillis(100)).quiet();
        assertAlike(cluster, holders);
        assertThat(bound).containsExactly(holders.on(1).directory.lookup(path("leader")));
    }

    @ClusterTest(nodes = 3, seeds = 3)
    void newcomerHasAllAndFullIsRefused(Cluster cluster) {
        settings = directory -> directory.namesMax(501);
        Components<Holder> holders = cluster.deploy(node -> new Holder(node, settings));
        cluster.start(1, 2).awaitOneView();
        holders.run(1, holder -> {
            holder.directory.createContext(path("app"));
            for (int index = 0; index < 500; index++) {
                holder.directory.bind(path("app/n" + index), "x".repeat(300));
            }
            assertRefused(Reason.FULL, 0, () -> holder.directory.bind(path("more"), "x"));
        });
        cluster.start(3);
        assertAlike(cluster, holders);
        assertThat(holders.on(3).directory.list(path("app"))).hasSize(500);
    }

    @ClusterTest(nodes = 5, seeds = 9)
    @Tag("seeds")
    void sidesMeetAsTheRuleSays(Cluster cluster) {
        long rule = cluster.seed() % 3;
        settings = directory -> directory.merge(
                rule == 0 ? Merge.union() : rule == 1 ? Merge.oldest() : Merge.by(sides -> {
                    Map<DirectoryPath, String> all = new TreeMap<>(sides.getFirst().state());
                    sides.getLast().state().forEach((path, value) -> all.merge(path, value, DirectoryTest::first));
                    all.keySet().removeIf(path -> path.name().equals("right"));
                    return all;
                }));
        Components<Holder> holders = startAll(cluster);
        cluster.partition(1, 2).advance(Duration.ofSeconds(10));
        for (int number : new int[] {1, 3}) {
            holders.run(number, holder -> {
                holder.directory.createContext(path("app"));
                holder.directory.createContext(path("app/" + (number == 1 ? "l" : "r")));
                holder.directory.bind(path("app/" + (number == 1 ? "l/left" : "r/right")), "v");
                holder.directory.bind(path("app/both"), number == 1 ? "a" : "b");
            });
        }
        cluster.advance(Duration.ofSeconds(1)).heal().awaitOneView();
        assertAlike(cluster, holders);
        TreeSet<String> merged = new TreeSet<>(tree(holders.on(4)));
        switch ((int) rule) {
            case 0 -> assertThat(merged).contains("app/", "app/l/", "app/r/", "app/l/left=v", "app/r/right=v").hasSize(6);
            case 1 -> assertThat(merged).hasSize(4);
            default -> assertThat(merged).contains("app/l/left=v", "app/both=a").doesNotContain("app/r/right=v");
        }
    }

    private static String first(String one, String other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    @ClusterTest(nodes = 5, seeds = 20)
    @Tag("seeds")
    void isTheSameEverywhereWhateverGoesWrong(Cluster cluster) {
        Components<Holder> holders = startAll(cluster);
        holders.keep(Duration.ofMillis(10), holder -> holder.work(cluster));
        cluster.randomFaults(Duration.ofSeconds(15)).quiet();
        assertAlike(cluster, holders);
        assertThat(holders.running()).hasSize(5);
    }

    @Test
    void pathsComeBeforeWhatIsBelowThem() {
        TreeSet<DirectoryPath> sorted = new TreeSet<>(
                List.of(path("a/b"), path("a\u0000"), path("b"), path("a"), path("a/b/c"), path(""), path("a b")));
        assertThat(sorted)
                .containsExactly(
                        path(""), path("a"), path("a/b"), path("a/b/c"), path("a\u0000"), path("a b"), path("b"));
        assertThat(path("/a//b/")).isEqualTo(path("a/b"));
        assertThatThrownBy(() -> path("a/".repeat(33))).hasMessageContaining("33 names, at most 32");
    }
}
