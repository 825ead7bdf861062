package dev.tutti.grid.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Node;
import dev.tutti.grid.Answer;
import dev.tutti.grid.Entry;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.Query;
import dev.tutti.grid.member.GridMember;
import dev.tutti.testing.Await;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Members of a grid whose stores are in a database that is killed and comes back, while entries come and go. */
@Tag("slow")
class RealDatabaseMemberTest {

    private enum Kind {
        POSTGRESQL {
            @Override
            Database start(Path directory) throws Exception {
                return new Postgres(directory);
            }
        },
        MARIADB {
            @Override
            Database start(Path directory) throws Exception {
                return new MariaDb(directory);
            }
        };

        abstract Database start(Path directory) throws Exception;
    }

    @TempDir
    private Path directory;

    private static List<String> names(Grid grid) {
        Answer<Entry> answer = grid.find(Query.PRODUCERS);
        assertThat(answer.missing()).isEmpty();
        return answer.items().stream().map(Entry::name).sorted().toList();
    }

    /** Returns the producers in the database of a member, which answers without its grid. */
    private static List<String> stored(Database database, String member) {
        try (JdbcStore store = new JdbcStore(database.source(), member)) {
            return store.find(Query.PRODUCERS).stream().map(Entry::name).sorted().toList();
        } catch (StoreException e) {
            return List.of(e.toString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void queriesAnswerWithWhatIsThereAndSayWhatIsMissing(Kind kind) throws Exception {
        try (Database database = kind.start(directory);
                Node nodeA = Node.tcp(0).name("a").start();
                Node nodeB = Node.tcp(0).name("b").seeds(nodeA.address()).start();
                Node nodeC = Node.tcp(0).name("c").seeds(nodeA.address()).start();
                GridMember a = GridMember.on(nodeA).store(new JdbcStore(database.source(), "a")).join();
                GridMember b = GridMember.on(nodeB).store(new JdbcStore(database.source(), "b")).join()) {
            a.produce(ProducerOptions.of("a1", "hosts/a/#"));
            whileOneStoreIsInMemory(database, a, b, nodeC);
            // Queries have groups of their own, which c leaves at other moments.
            Await.until("c has left", () -> a.status().get("entries") == 2 && b.status().get("entries") == 2
                    && a.find(Query.PRODUCERS).missing().size() == 2);
            Answer<Entry> nothing = a.find(Query.PRODUCERS);
            assertThat(nothing.items()).isEmpty();
            assertThat(nothing.missing()).hasSize(2)
                    .anyMatch(each -> each.startsWith("the store of a: "))
                    .anyMatch(each -> each.startsWith("the store of b: "));
            // Changes are written on another thread than queries are answered on.
            Await.until("a change has failed", () -> a.status().get("store-failures") > 0);

            database.start();
            Await.until("both answer again", () -> a.find(Query.PRODUCERS).missing().isEmpty() && b.find(Query.PRODUCERS).missing().isEmpty());
            assertThat(names(a)).containsExactly("a1", "b2");
            assertThat(names(b)).containsExactly("a1", "b2");
            Await.until("nothing stale is in the database", () -> List.of("a1", "b2").equals(stored(database, "a"))
                    && List.of("a1", "b2").equals(stored(database, "b")));
        }
    }

    private static void whileOneStoreIsInMemory(Database database, GridMember a, GridMember b, Node node) throws Exception {
        try (GridMember c = GridMember.on(node).join()) {
            Producer ends = b.produce(ProducerOptions.of("b1", "hosts/b/#"));
            c.produce(ProducerOptions.of("c1", "hosts/c/#"));
            Await.until("all stores have all", () -> List.of("a1", "b1", "c1").equals(stored(database, "a"))
                    && List.of("a1", "b1", "c1").equals(stored(database, "b")));

            database.kill();
            ends.close();
            b.produce(ProducerOptions.of("b2", "hosts/b/#"));
            // The store of c is in memory, and has what has changed meanwhile.
            Await.until("c answers for all", () -> names(a).equals(List.of("a1", "b2", "c1")));
        }
    }
}
