package dev.tutti.study.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.internal.Json;
import dev.tutti.study.load.ConfigurationResult;
import dev.tutti.study.load.Fault;
import dev.tutti.study.load.FaultResult;
import dev.tutti.study.load.LoadResult;
import dev.tutti.study.load.Profile;
import dev.tutti.study.load.Sample;
import dev.tutti.study.load.SessionsResult;
import dev.tutti.study.setup.Configuration;
import dev.tutti.study.setup.Keeping;
import dev.tutti.study.setup.Operation;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class StudyReportTest {

    private static final long MILLI = 1_000_000;

    @Test
    void pageHasAllConfigurationsWithThePapersMeansBeside() {
        String page = report(0).page();
        for (Configuration configuration : Configuration.ALL) {
            assertThat(page).contains("<td>" + configuration.number() + " " + configuration.name() + "</td>");
        }
        assertThat(page).contains("1,925", "<td>93</td>", "<td>79</td>", "<td>44</td>", "<td>55</td>", "<td>124</td>")
                .contains("No confirmed change was lost")
                .contains("kill -9 of the node", "kill -9 of the balancer", "kill -9 of the database")
                .contains("PostgreSQL of the test")
                .contains("1 refused");
    }

    @Test
    void lossIsTheFirstThingOnThePage() {
        StudyReport report = report(3);
        assertThat(report.broken()).contains("replicated-free-mapper lost 3 session updates after kill -9 of the node");
        assertThat(report.broken()).noneMatch(sentence -> sentence.startsWith("delta"));
        assertThat(report.page()).contains("class=\"missed\">replicated-free-mapper lost 3 session updates after kill -9 of the node");
        assertThat(report.text()).contains("BROKEN replicated-free-mapper lost 3 session updates");
    }

    @Test
    void figuresForProgramsAreJson() {
        Map<?, ?> map = (Map<?, ?>) Json.parse(Json.write(report(0).map()));
        List<?> configurations = (List<?>) map.get("configurations");
        assertThat(configurations).hasSize(Configuration.ALL.size());
        Map<?, ?> first = (Map<?, ?>) configurations.getFirst();
        assertThat(first.get("configuration")).isEqualTo("replicated-free-mapper");
        assertThat(((Number) first.get("paperMeanMillis")).intValue()).isEqualTo(1_925);
        Map<?, ?> closed = (Map<?, ?>) first.get("closedLoop");
        assertThat(((Number) closed.get("meanMillis")).doubleValue()).isBetween(19.9, 20.1);
        assertThat(((Map<?, ?>) first.get("faults")).keySet().toString()).isEqualTo("[node, balancer, database]");
    }

    @Test
    void sessionsHaveTheirRatesAtEachNodeAndThePapersFigures() {
        SessionsReport report = new SessionsReport(
                List.of(new SessionsResult(Keeping.TUTTI, 2, List.of(load(0)), fault(0)), new SessionsResult(Keeping.DELTA, 2, List.of(load(0)), fault(5))),
                8, 1_024);
        assertThat(report.isGood()).isTrue();
        assertThat(report.page()).contains("tutti, 2", "delta, 2", "150.7 updates/s", "1,004 requests/s");
        assertThat(report.text()).contains("requests/s at a node");
        SessionsReport bad =
                new SessionsReport(List.of(new SessionsResult(Keeping.TUTTI_UDP, 2, List.of(load(0)), fault(1))), 8, 1_024);
        assertThat(bad.isGood()).isFalse();
        assertThat(bad.page()).contains("Confirmed updates were lost.");
    }

    static StudyReport report(long lostAfterKill) {
        List<ConfigurationResult> results = Configuration.ALL.stream()
                .map(configuration -> new ConfigurationResult(
                        configuration,
                        load(0),
                        load(0),
                        new TreeMap<>(Map.of(
                                Fault.NODE, fault(lostAfterKill), Fault.BALANCER, fault(0), Fault.DATABASE, fault(0))),
                        true))
                .toList();
        return new StudyReport(results, Profile.CI, 2, "PostgreSQL of the test", "cookie");
    }

    private static FaultResult fault(long lost) {
        return new FaultResult(load(lost), 500 * MILLI, 900 * MILLI);
    }

    private static LoadResult load(long lost) {
        return new LoadResult(
                List.of(
                        new Sample(Operation.CREATE_PROJECT, 0, 0, 10 * MILLI, ""),
                        new Sample(Operation.UPLOAD, 0, 0, 30 * MILLI, ""),
                        new Sample(Operation.UPLOAD, 0, 600 * MILLI, 610 * MILLI, "refused")),
                0,
                1_000 * MILLI,
                Map.of("nodes", 0.5, "database", 0.1),
                0,
                new LoadResult.Lost(lost, 0, 0));
    }
}
