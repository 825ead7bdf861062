package dev.tutti.study.report;

import dev.tutti.bench.report.Chart;
import dev.tutti.bench.report.Machine;
import dev.tutti.bench.report.Page;
import dev.tutti.bench.report.Table;
import dev.tutti.study.load.LoadResult;
import dev.tutti.study.load.SessionsResult;
import dev.tutti.study.setup.Operation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Report on sessions beside other systems: text, a page with plots, and a map for programs. */
public final class SessionsReport {

    private static final String PAPER = "The report that this follows measured, at 8 nodes with sessions of 1 kB, 150.7 updates/s"
            + " and 1,004 requests/s at each node on its TCP stack, and 3.3 and 22 on its UDP stack. Its nodes had a machine each;"
            + " here all nodes and all clients share one.";

    private final List<SessionsResult> results;
    private final Map<String, Object> facts = new LinkedHashMap<>();

    /** Creates a report. */
    public SessionsReport(List<SessionsResult> results, int clients, int stateBytes) {
        this.results = List.copyOf(results);
        facts.put("clients of each node", clients);
        facts.put("size of a session", stateBytes + " bytes");
        facts.putAll(Machine.description());
    }

    /** Returns whether no system lost an update that it promises to keep. */
    public boolean isGood() {
        return results.stream().allMatch(result -> result.brokenUpdates() == 0);
    }

    /** Returns the table as text. */
    public String text() {
        return table() + "\n" + PAPER + "\n";
    }

    /** Returns the figures for programs. */
    public Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("facts", facts);
        map.put("paper", Map.of(
                "tcp", Map.of("updatesPerSecondAtNode", 150.7, "requestsPerSecondAtNode", 1_004),
                "udp", Map.of("updatesPerSecondAtNode", 3.3, "requestsPerSecondAtNode", 22)));
        map.put("results", results.stream().map(SessionsResult::map).toList());
        map.put("passed", isGood());
        return map;
    }

    /** Returns the page. */
    public String page() {
        Page page = new Page();
        page.text("Sessions at several Tomcats, replicated by different software. Each client stays with a node, and sends one"
                + " request after the other; 15 % of the requests change their session, the others read it. Then one node is"
                + " killed, and its clients go to the next one.");
        page.text(PAPER);
        page.verdict(
                isGood() ? "No confirmed update was lost where the system promises to keep it." : "Confirmed updates were lost.",
                isGood());
        page.facts(facts);
        page.section("All figures");
        page.table(table());
        page.chart(chart("Requests at each node", "requests/s", false, SessionsResult::requestsAtNode));
        page.chart(chart("Updates at each node", "updates/s", false, SessionsResult::updatesAtNode));
        page.chart(chart("Response time of updates, p99", "ms", true, result -> p99(result, Operation.CHANGE)));
        page.chart(chart("Response time of reads, p99", "ms", true, result -> p99(result, Operation.READ)));
        page.chart(chart("CPU time of all nodes for each request", "ms", false, SessionsReport::cpuMillis));
        page.chart(chart("Updates lost after kill -9 of a node", "updates", false, result -> result.kill().load().lost().updates()));
        page.section("Terms");
        page.note("Figures without a kill are those of the round with the median rate; the range is that of all rounds. All systems"
                + " run at the same time, and have the load by turns.");
        page.note("lost: updates that an answer confirmed and a later answer of the session lacks.");
        page.note("others' cores: cores that processes which are not of the study kept busy. On a quiet machine it is near 0.");
        page.note("promise: whether the software promises that a confirmed update survives the crash of a node. tutti waits for the"
                + " other nodes before it answers; delta answers first, as Tomcat's documentation configures it.");
        return page.write("tutti study sessions");
    }

    private Table table() {
        Table table = new Table(
                "system, nodes", "requests/s at a node", "range", "updates/s at a node", "p50 ms", "p99 ms", "p99 of updates", "CPU ms/request",
                "others' cores", "failed", "lost", "kill: failed", "kill: silence ms", "kill: lost", "kill: lost sessions", "promise");
        for (SessionsResult result : results) {
            LoadResult load = result.load();
            LoadResult kill = result.kill().load();
            table.row(
                    result.system() + ", " + result.nodes(), format("%,.0f", result.requestsAtNode()),
                    format("%,.0f", result.requestsAtNodeMin()) + " to " + format("%,.0f", result.requestsAtNodeMax()),
                    format("%,.1f", result.updatesAtNode()), format("%,.1f", LoadResult.millis(load.latencies(), 50)),
                    format("%,.1f", LoadResult.millis(load.latencies(), 99)), format("%,.1f", p99(result, Operation.CHANGE)),
                    format("%,.2f", cpuMillis(result)), format("%.1f", load.foreignCores()), result.failed(), result.lostUpdates(), kill.failed(),
                    format("%,.0f", result.kill().silenceMillis()), kill.lost().updates(), kill.lost().sessions(),
                    result.keeping().isPromised() ? "yes" : "no");
        }
        return table;
    }

    private Chart chart(String title, String unit, boolean isLogarithmic, ToDoubleFunction<SessionsResult> value) {
        Chart.Builder chart = new Chart.Builder(title, "nodes", unit, isLogarithmic);
        for (SessionsResult result : results) {
            chart.add(result.system(), result.nodes(), Integer.toString(result.nodes()), value.applyAsDouble(result));
        }
        return results.stream().mapToInt(SessionsResult::nodes).distinct().count() > 1 ? chart.build() : chart.bars().build();
    }

    private static double p99(SessionsResult result, Operation operation) {
        return LoadResult.millis(result.load().latencies(operation), 99);
    }

    private static double cpuMillis(SessionsResult result) {
        LoadResult load = result.load();
        return load.cpuSeconds().getOrDefault("nodes", 0.0) * 1e3 / Math.max(1, load.samples().size());
    }

    private static String format(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
