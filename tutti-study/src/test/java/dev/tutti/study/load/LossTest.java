package dev.tutti.study.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.study.app.NoStore;
import dev.tutti.study.app.Store;
import dev.tutti.study.app.StudyServlet;
import dev.tutti.study.app.Visits;
import dev.tutti.study.setup.Access;
import dev.tutti.study.setup.Configuration;
import dev.tutti.study.setup.Keeping;
import dev.tutti.study.setup.Operation;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A configuration that confirms updates and loses some is found out. */
class LossTest {

    private static final List<Operation> TEN = Collections.nCopies(10, Operation.CHANGE);

    @TempDir
    private Path directory;

    @Test
    void updateThatWasNotKeptIsCounted() throws Exception {
        LoadResult result = load(save -> save == 4, save -> false, LoadDriver.Lookup.NONE);
        assertThat(result.confirmed()).isEqualTo(10);
        assertThat(result.lost()).isEqualTo(new LoadResult.Lost(1, 0, 0));
    }

    @Test
    void lastUpdateIsComparedWhenTheLoadIsOver() throws Exception {
        assertThat(load(save -> save == 10, save -> false, LoadDriver.Lookup.NONE).lost()).isEqualTo(new LoadResult.Lost(1, 0, 0));
    }

    @Test
    void sessionThatIsForgottenCountsWithItsUpdates() throws Exception {
        assertThat(load(save -> false, save -> save == 7, LoadDriver.Lookup.NONE).lost()).isEqualTo(new LoadResult.Lost(7, 1, 0));
    }

    @Test
    void nothingIsLostWhereAllIsKept() throws Exception {
        assertThat(load(save -> false, save -> false, LoadDriver.Lookup.NONE).lost()).isEqualTo(new LoadResult.Lost(0, 0, 0));
    }

    @Test
    void lossBreaksThePromiseOfThoseThatGiveOne() throws Exception {
        LoadResult good = load(save -> false, save -> false, LoadDriver.Lookup.NONE);
        LoadResult bad = load(save -> save == 4, save -> false, rows -> 2);
        FaultResult fault = new FaultResult(bad, 0, 0);
        assertThat(broken(Keeping.TUTTI, good, Map.of(Fault.NODE, fault), true)).containsExactly(
                "test lost 1 session updates after kill -9 of the node", "test lost 2 rows after kill -9 of the node");
        assertThat(broken(Keeping.DELTA, good, Map.of(Fault.NODE, fault), true))
                .containsExactly("test lost 2 rows after kill -9 of the node");
        assertThat(broken(Keeping.DATABASE, good, Map.of(Fault.DATABASE, fault), false)).isEmpty();
        assertThat(broken(Keeping.TUTTI, good, Map.of(Fault.DATABASE, fault), false))
                .containsExactly("test lost 1 session updates after kill -9 of the database");
        assertThat(broken(Keeping.TUTTI, good, Map.of(), true)).isEmpty();
    }

    @Test
    void configurationThatServesNothingIsNoSuccess() {
        LoadResult nothing = new LoadResult(
                List.of(new Sample(Operation.UPLOAD, 0, 0, 1, "status 500")), 0, 1, Map.of(), 0, new LoadResult.Lost(0, 0, 0));
        assertThat(broken(Keeping.DELTA, nothing, Map.of(), true)).containsExactly(
                "test served only 0 of 1 requests without a fault", "test served only 0 of 1 requests at a fixed rate");
    }

    private static List<String> broken(Keeping keeping, LoadResult load, Map<Fault, FaultResult> faults, boolean isDurable) {
        Configuration configuration = new Configuration("test", keeping, true, Access.JDBC, 0);
        return new ConfigurationResult(configuration, load, load, faults, isDurable).broken();
    }

    /**
     * Sends ten updates of one session.
     *
     * @param isDropped whether a save, from 1, is not kept
     * @param isForgotten whether all sessions are gone after a save
     */
    private LoadResult load(IntPredicate isDropped, IntPredicate isForgotten, LoadDriver.Lookup lookup) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(directory.toString());
        tomcat.setPort(0);
        Context context = tomcat.addContext("/study", null);
        Tomcat.addServlet(context, "study", new StudyServlet(new NoStore(), new Forgetful(isDropped, isForgotten), 16))
                .addMapping("/app");
        tomcat.start();
        URI address = URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/study/app");
        try (LoadDriver driver =
                new LoadDriver(List.of(address), new LoadDriver.Clients(1, false, 1), new RowAccount(), Map::of)) {
            return driver.closedLoop(TEN, 1, lookup);
        } finally {
            tomcat.stop();
            tomcat.destroy();
        }
    }

    private static final class Forgetful implements Visits {

        private final Map<String, byte[]> states = new ConcurrentHashMap<>();
        private final AtomicInteger ids = new AtomicInteger();
        private final AtomicInteger saves = new AtomicInteger();
        private final IntPredicate isDropped;
        private final IntPredicate isForgotten;

        Forgetful(IntPredicate isDropped, IntPredicate isForgotten) {
            this.isDropped = isDropped;
            this.isForgotten = isForgotten;
        }

        @Override
        public Visit open(HttpServletRequest request, Store.Work work) {
            String asked = request.getRequestedSessionId();
            String id = asked != null && states.containsKey(asked) ? asked : "s" + ids.incrementAndGet();
            return new Visit() {
                @Override
                public String id() {
                    return id;
                }

                @Override
                public byte @Nullable [] state() {
                    return states.get(id);
                }

                @Override
                public void save(byte[] state) {
                    int save = saves.incrementAndGet();
                    if (!isDropped.test(save)) {
                        states.put(id, state);
                    }
                    if (isForgotten.test(save)) {
                        states.clear();
                    }
                }
            };
        }
    }
}
