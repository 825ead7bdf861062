package dev.tutti.bench.options;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.report.Chart;
import dev.tutti.bench.report.Machine;
import dev.tutti.bench.report.Page;
import dev.tutti.bench.report.Table;
import dev.tutti.internal.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/**
 * Output and options that all measurements share: the files of results (the terminal, a JSON file, a page), the bounds
 * to hold, and the options of processes.
 */
public final class Output {

    private static final String STANDARD_OUTPUT = "-";

    private static final int HELD = 0;
    private static final int FAILED = 1;
    private static final int MISSED = 3;

    @Spec(Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Option(
            names = "--json",
            arity = "0..1",
            fallbackValue = STANDARD_OUTPUT,
            paramLabel = "FILE",
            description = "Writes the results to a file too; without one, prints them instead of the tables.")
    private @Nullable String json;

    @Option(names = "--html", paramLabel = "FILE", description = "Writes a page with tables and plots, in one file.")
    private @Nullable Path html;

    @Option(names = "--strict", description = "Exits with 3 if a bound of the requirements is missed.")
    private boolean isStrict;

    @Option(
            names = "--heap",
            paramLabel = "SIZE",
            description = "Heap of each process, as the JVM writes it. Default: 512m, but 64m where memory is the question.")
    private @Nullable String heap;

    @Option(
            names = "--jvm",
            paramLabel = "OPTION",
            description = "A further option for each process's JVM; may be repeated.")
    private List<String> options = new ArrayList<>();

    @Option(
            names = "--cores",
            paramLabel = "N",
            split = ",",
            description = "Binds processes to these cores by turns (taskset): 0 puts all on one.")
    private List<Integer> cores = new ArrayList<>();

    private final Map<String, Object> values = new LinkedHashMap<>();
    private final List<String> failures = new ArrayList<>();
    private final List<String> disqualified = new ArrayList<>();
    private final List<String> missed = new ArrayList<>();
    private final Page page = new Page();
    private Map<String, Object> section = values;
    private String title = "tutti bench";
    private boolean hasTick;

    public List<String> jvmOptions(String heapDefault) {
        List<String> all = new ArrayList<>(List.of(
                "-Xmx" + (heap == null ? heapDefault : heap),
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.net.preferIPv4Stack=true"));
        // The launcher's archive from a rehearsal serves the members of every system.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-XX:AOTCache=") || argument.startsWith("-Xlog:aot="))
                .forEach(all::add);
        all.addAll(options);
        section.put("jvm", List.copyOf(all));
        return all;
    }

    /** Returns a layout with a process for each member. */
    public Layout layout(String heapDefault) {
        return new Layout(jvmOptions(heapDefault), false, cores);
    }

    // ------------------------------------------------------------------ results

    /** Sets the title of the file and the page, and prints it. */
    public void title(String text) {
        title = text;
        values.put("title", text);
        print(text);
    }

    /** Assigns values and tables to a part of the report, until {@link #endSection}. */
    public void beginSection(String name, String heading, String text) {
        Map<String, Object> part = new LinkedHashMap<>();
        values.put(name, part);
        section = part;
        page.section(heading).text(text);
        print("\n" + heading);
    }

    public void endSection() {
        section = values;
    }

    /** Adds a figure to the file. */
    public void put(String name, Object value) {
        section.put(name, value);
    }

    public void print(Table table) {
        print(table.toString());
        page.table(table);
    }

    /** Prints a text, and adds it to the page. */
    public void note(String text) {
        print(text);
        page.note(text);
    }

    public void chart(Chart.Builder chart) {
        if (chart.isLine()) {
            page.chart(chart.build());
        }
    }

    public void chart(Chart chart) {
        page.chart(chart);
    }

    /** Records that a verification has failed. */
    public void fail(String failure) {
        failures.add(failure);
    }

    /** Records that a compared system has lost, reordered or changed a message, or does not run: it can't win. */
    public void disqualify(String what) {
        disqualified.add(what);
        progress("disqualified: " + what);
    }

    /** Records whether a bound of the requirements holds. */
    public void bound(String what, boolean isHeld) {
        print((isHeld ? "held:   " : "MISSED: ") + what);
        page.verdict((isHeld ? "held: " : "missed: ") + what, isHeld);
        if (!isHeld) {
            missed.add(what);
        }
    }

    // ------------------------------------------------------------------ the terminal

    /** Prints progress on the standard error. */
    public void progress(String text) {
        PrintWriter err = spec().commandLine().getErr();
        err.println((hasTick ? "\r\033[K" : "") + "  " + text);
        err.flush();
        hasTick = false;
    }

    /** Prints a transient text that the next one replaces; only on a terminal. */
    public void tick(String text) {
        if (isTerminal()) {
            PrintWriter err = spec().commandLine().getErr();
            err.print("\r\033[K  " + text);
            err.flush();
            hasTick = true;
        }
    }

    static boolean isTerminal() {
        return System.console() != null && System.console().isTerminal();
    }

    public void print(String text) {
        if (!STANDARD_OUTPUT.equals(json)) {
            PrintWriter out = spec().commandLine().getOut();
            out.println(text);
            out.flush();
        }
    }

    /** Prints failures, writes the files, and returns the exit code. */
    public int finish() {
        Map<String, Object> machine = Machine.description();
        values.put("machine", machine);
        values.put("failures", failures);
        values.put("disqualified", disqualified);
        values.put("missed", missed);
        for (String failure : failures) {
            print("FAILED: " + failure);
            page.verdict("failed: " + failure, false);
        }
        for (String system : disqualified) {
            print("disqualified: " + system);
            page.text("disqualified: " + system);
        }
        print("machine: " + machine);
        page.facts(machine);
        save();
        if (STANDARD_OUTPUT.equals(json)) {
            spec().commandLine().getOut().println(Json.write(values));
            spec().commandLine().getOut().flush();
        }
        if (!failures.isEmpty()) {
            return FAILED;
        }
        return isStrict && !missed.isEmpty() ? MISSED : HELD;
    }

    /** Writes the files as far as there are results, so that these outlive an interruption. */
    public void save() {
        if (json != null && !STANDARD_OUTPUT.equals(json)) {
            write(Path.of(json), Json.write(values) + "\n");
        }
        if (html != null) {
            write(html, page.write(title));
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new BenchException("can't write " + file + ": " + e, e);
        }
    }

    private CommandSpec spec() {
        if (spec == null) {
            throw new IllegalStateException("not part of a command");
        }
        return spec;
    }
}
