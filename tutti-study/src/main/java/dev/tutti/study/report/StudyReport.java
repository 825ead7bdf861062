package dev.tutti.study.report;

import dev.tutti.bench.report.Chart;
import dev.tutti.bench.report.Machine;
import dev.tutti.bench.report.Page;
import dev.tutti.bench.report.Table;
import dev.tutti.study.load.ConfigurationResult;
import dev.tutti.study.load.Fault;
import dev.tutti.study.load.FaultResult;
import dev.tutti.study.load.LoadResult;
import dev.tutti.study.load.Profile;
import dev.tutti.study.setup.Operation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/** Report of a study: text, a page with plots, and a map for programs. */
public final class StudyReport {

    private static final int SLICE_MILLIS = 500;
    private static final int SLICES_BEFORE = 3;

    private final Map<String, Object> facts = new LinkedHashMap<>();
    private final List<ConfigurationResult> results;
    private final Profile profile;
    private final int nodes;

    /**
     * Creates a report.
     *
     * @param database product and version of the database
     * @param sessionIds where clients keep the session id
     */
    public StudyReport(List<ConfigurationResult> results, Profile profile, int nodes, String database, String sessionIds) {
        this.results = List.copyOf(results);
        this.profile = profile;
        this.nodes = nodes;
        facts.put("database", database);
        facts.put("nodes of each configuration", nodes);
        facts.put("session id", sessionIds);
        facts.putAll(Machine.description());
    }

    /** Returns the promises that were not kept, as sentences. */
    public List<String> broken() {
        return results.stream().flatMap(result -> result.broken().stream()).toList();
    }

    /** Returns the tables as text. */
    public String text() {
        StringBuilder text = new StringBuilder("One request after the other, from " + profile.concurrency() + " clients\n");
        text.append(closedTable()).append('\n');
        text.append(profile.rate()).append(" requests/s\n").append(rateTable());
        for (Fault fault : faults()) {
            text.append("\nkill -9 of the ").append(fault).append('\n').append(faultTable(fault));
        }
        broken().forEach(sentence -> text.append("BROKEN ").append(sentence).append('\n'));
        return text.toString();
    }

    /** Returns the figures for programs. */
    public Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("facts", facts);
        map.put("rate", profile.rate());
        map.put("configurations", results.stream().map(ConfigurationResult::map).toList());
        map.put("broken", broken());
        return map;
    }

    /** Returns the page. */
    public String page() {
        Page page = new Page();
        page.text("One web application, built in " + results.size() + " ways, under the same requests. Each way runs as " + nodes
                + " Tomcats behind a balancer. The application creates and deletes users, creates projects and stores uploaded"
                + " files; each request looks its session up and changes it.");
        if (broken().isEmpty()) {
            page.verdict("No confirmed change was lost where the configuration promises to keep it.", true);
        }
        broken().forEach(sentence -> page.verdict(sentence, false));
        page.facts(facts);
        page.section("One request after the other");
        page.text("The paper's requests, from " + profile.concurrency()
                + " clients that wait for each answer. The paper's means stand at the same position of its list. Its hardware, its"
                + " software and its number of clients were others, so compare the order of the rows and not the milliseconds.");
        page.table(closedTable());
        page.chart(means());
        page.chart(percentiles("Response time, one after the other", ConfigurationResult::closed));
        page.section("A fixed rate");
        page.text(profile.rate() + " requests/s from " + profile.visitors()
                + " clients, whatever the answers take: a request that is due while the one before is unanswered counts with its"
                + " wait. CPU is that of all processes of a kind.");
        page.table(rateTable());
        page.chart(percentiles("Response time at a fixed rate", ConfigurationResult::atRate));
        page.chart(cpu());
        for (Fault fault : faults()) {
            page.section("kill -9 of the " + fault);
            page.text("At a fixed rate of " + profile.rate() + " requests/s. The process is started again one second after the kill.");
            page.table(faultTable(fault));
            page.chart(rates(fault));
            page.chart(failed(fault));
        }
        page.section("Terms");
        page.note("failed: requests without an answer, or with one that is an error. The client repeats none.");
        page.note("lost updates: changes of a session that an answer confirmed and a later answer of the session lacks; those of"
                + " sessions that are gone count, too. A request without an answer is never missed.");
        page.note("lost rows: confirmed operations that the tables of the database do not show at the end.");
        page.note("last failure: time from the kill to the sending of the last request that failed. Later requests were all served.");
        page.note("silence: longest time after the kill in which no request at all was answered.");
        page.note("others' cores: cores that processes which are not of the study kept busy. On a quiet machine it is near 0.");
        page.note("promise: whether the configuration promises that a confirmed session update survives the crash of a process.");
        return page.write("tutti study");
    }

    private List<Fault> faults() {
        return results.isEmpty() ? List.of() : List.copyOf(results.getFirst().faults().keySet());
    }

    private static String label(ConfigurationResult result) {
        return result.configuration().number() + " " + result.configuration().name();
    }

    private static String number(ConfigurationResult result) {
        return Integer.toString(result.configuration().number());
    }

    private Table closedTable() {
        Table table = new Table(
                "configuration", "mean ms", "paper ms", "p50 ms", "p99 ms", "max ms", "create user", "delete user", "create project",
                "upload", "requests/s", "others' cores", "failed", "lost updates", "lost rows");
        for (ConfigurationResult result : results) {
            LoadResult load = result.closed();
            Histogram all = load.latencies();
            int paper = result.configuration().paperMillis();
            table.row(
                    label(result), number(all.getMean() / 1e6), paper == 0 ? "–" : String.format(Locale.ROOT, "%,d", paper),
                    millis(all, 50), millis(all, 99), millis(all, 100), mean(load, Operation.CREATE_USER),
                    mean(load, Operation.DELETE_USER), mean(load, Operation.CREATE_PROJECT), mean(load, Operation.UPLOAD),
                    whole(load.confirmed() / load.seconds()), number(load.foreignCores()), load.failed(), load.lost().updates(),
                    load.lost().rows());
        }
        return table;
    }

    private Table rateTable() {
        Table table = new Table(
                "configuration", "requests/s", "mean ms", "p50 ms", "p90 ms", "p99 ms", "p99.9 ms", "max ms", "CPU ms/request",
                "nodes", "balancer", "database", "clients", "others' cores", "failed", "lost updates", "lost rows");
        for (ConfigurationResult result : results) {
            LoadResult load = result.atRate();
            Histogram all = load.latencies();
            table.row(
                    label(result), whole(load.confirmed() / load.seconds()), number(all.getMean() / 1e6), millis(all, 50),
                    millis(all, 90), millis(all, 99), millis(all, 99.9), millis(all, 100),
                    number(cpuMillis(load, "nodes") + cpuMillis(load, "balancer") + cpuMillis(load, "database")),
                    number(cpuMillis(load, "nodes")), number(cpuMillis(load, "balancer")), number(cpuMillis(load, "database")),
                    number(cpuMillis(load, "clients")), number(load.foreignCores()), load.failed(), load.lost().updates(), load.lost().rows());
        }
        return table;
    }

    private Table faultTable(Fault fault) {
        Table table = new Table(
                "configuration", "requests", "failed", "lost updates", "lost sessions", "promise", "lost rows", "last failure ms",
                "silence ms", "ready again ms", "p99 ms", "failures");
        for (ConfigurationResult result : results) {
            FaultResult at = result.faults().get(fault);
            if (at == null) {
                continue;
            }
            LoadResult load = at.load();
            String failures = load.failures().entrySet().stream()
                    .map(each -> each.getValue() + " " + each.getKey())
                    .collect(Collectors.joining(", "));
            table.row(
                    label(result), load.samples().size(), load.failed(), load.lost().updates(), load.lost().sessions(),
                    result.configuration().keeping().isPromised() ? "yes" : "no", load.lost().rows(), whole(at.lastFailureMillis()),
                    whole(at.silenceMillis()), whole(at.readyMillis()), millis(load.latencies(), 99),
                    failures.isEmpty() ? "–" : failures);
        }
        return table;
    }

    private Chart means() {
        Chart.Builder chart = new Chart.Builder("Mean response time, and the paper's", "configuration", "ms", true).bars();
        for (ConfigurationResult result : results) {
            chart.add("here", result.configuration().number(), number(result), result.closed().latencies().getMean() / 1e6);
            if (result.configuration().paperMillis() > 0) {
                chart.add("paper", result.configuration().number(), number(result), result.configuration().paperMillis());
            }
        }
        return chart.build();
    }

    private Chart percentiles(String title, Function<ConfigurationResult, LoadResult> load) {
        Chart.Builder chart = new Chart.Builder(title, "percentile", "ms", true);
        double[] percentiles = {50, 90, 99, 99.9, 100};
        for (ConfigurationResult result : results) {
            Histogram all = load.apply(result).latencies();
            for (int place = 0; place < percentiles.length; place++) {
                String name = percentiles[place] == 100 ? "max" : "p" + String.valueOf(percentiles[place]).replace(".0", "");
                chart.add(label(result), place, name, LoadResult.millis(all, percentiles[place]));
            }
        }
        return chart.build();
    }

    private Chart cpu() {
        Chart.Builder chart = new Chart.Builder("CPU time for each request", "configuration", "ms", false).bars();
        for (ConfigurationResult result : results) {
            for (String kind : List.of("nodes", "balancer", "database")) {
                chart.add(kind, result.configuration().number(), number(result), cpuMillis(result.atRate(), kind));
            }
        }
        return chart.build();
    }

    private Chart rates(Fault fault) {
        Chart.Builder chart = new Chart.Builder("Requests served, around the kill", "seconds after the kill", "requests/s", false);
        int slices = (int) (profile.fault().toMillis() / SLICE_MILLIS) - 1;
        for (ConfigurationResult result : results) {
            FaultResult at = result.faults().get(fault);
            if (at != null) {
                double[] rates = at.rates(SLICE_MILLIS, SLICES_BEFORE * SLICE_MILLIS, slices);
                for (int slice = 0; slice < slices; slice++) {
                    double seconds = (slice - SLICES_BEFORE) * SLICE_MILLIS / 1_000.0;
                    chart.add(label(result), slice, slice % 2 == 0 ? "" : String.format(Locale.ROOT, "%.0f", seconds), rates[slice]);
                }
            }
        }
        return chart.build();
    }

    private Chart failed(Fault fault) {
        Chart.Builder chart = new Chart.Builder("Failed requests and lost session updates", "configuration", "count", false).bars();
        for (ConfigurationResult result : results) {
            FaultResult at = result.faults().get(fault);
            if (at != null) {
                chart.add("failed requests", result.configuration().number(), number(result), at.load().failed());
                chart.add("lost updates", result.configuration().number(), number(result), at.load().lost().updates());
            }
        }
        return chart.build();
    }

    private static double cpuMillis(LoadResult load, String kind) {
        return load.cpuSeconds().getOrDefault(kind, 0.0) * 1e3 / Math.max(1, load.samples().size());
    }

    private static String mean(LoadResult load, Operation operation) {
        return number(load.latencies(operation).getMean() / 1e6);
    }

    private static String millis(Histogram histogram, double percentile) {
        return number(LoadResult.millis(histogram, percentile));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%,.1f", value);
    }

    private static String whole(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }
}
