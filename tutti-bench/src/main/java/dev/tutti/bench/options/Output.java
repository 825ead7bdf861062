package dev.tutti.bench.options;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.process.BenchCluster.Layout;
import dev.tutti.bench.process.Machines;
import dev.tutti.bench.report.Chart;
import dev.tutti.bench.report.Machine;
import dev.tutti.bench.report.Table;
import dev.tutti.bench.systems.Addresses;
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
import picocli.CommandLine.Mixin;
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

    @Mixin
    private final Hosts hosts = new Hosts();

    private Report report = new Report();

    /** Output of the command that this one is a part of; null for a command of its own. */
    private @Nullable Output whole;

    private String prefix = "";

    /** Returns the options of JVMs on this machine. */
    public List<String> jvmOptions(String heapDefault) {
        hosts.requireNone();
        return allOptions(heapDefault);
    }

    private List<String> allOptions(String heapDefault) {
        List<String> all = new ArrayList<>(List.of(
                "-Xmx" + (heap == null ? heapDefault : heap),
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.net.preferIPv4Stack=true"));
        all.addAll(options);
        report.section.put("jvm", List.copyOf(all));
        return all;
    }

    /** Returns the options of processes as they were given, for a command that is a part of this one. */
    public List<String> processArguments() {
        List<String> arguments = new ArrayList<>();
        if (heap != null) {
            arguments.add("--heap=" + heap);
        }
        options.forEach(option -> arguments.add("--jvm=" + option));
        cores.forEach(core -> arguments.add("--cores=" + core));
        arguments.addAll(hosts.arguments());
        return arguments;
    }

    /** Returns whether processes are on other machines. */
    public boolean isElsewhere() {
        return hosts.areGiven();
    }

    /** Returns a layout with a process for each member, on the machines that were given. */
    public Layout layout(String heapDefault) {
        Machines machines = hosts.machines();
        List<String> all = allOptions(heapDefault);
        if (machines != null) {
            all.add(Addresses.option(machines.addresses()));
            put("hosts", machines.names());
        }
        return new Layout(all, false, cores, List.of(), machines);
    }

    /**
     * Returns a layout as {@link #layout} does, whose processes start from the launcher's cache of a rehearsal, whatever the system.
     * That is for measurements of starts: code from the cache is compiled by the profiles of the rehearsal, and slower afterwards.
     */
    public Layout startLayout(String heapDefault) {
        Layout layout = layout(heapDefault);
        List<String> all = new ArrayList<>(ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-XX:AOTCache=") || argument.startsWith("-Xlog:aot="))
                .toList());
        all.addAll(layout.options());
        report.section.put("jvm", List.copyOf(all));
        return layout.with(all);
    }

    /** Returns a layout with a process for each member, on this machine. */
    public Layout layoutHere(String heapDefault) {
        return new Layout(jvmOptions(heapDefault), false, cores);
    }

    // ------------------------------------------------------------------ results

    /** Sets the title of the file and the page, and prints it. */
    public void title(String text) {
        if (whole == null) {
            report.title = text;
            report.values.put("title", text);
            print(text);
        } else {
            report.section.put("title", text);
            note(text);
        }
    }

    /**
     * Lets the results of a command, which has not begun, become a section of this one's; files and exit code are this one's.
     *
     * @param name of the command, in front of its failures
     */
    public void include(String name, Output part) {
        part.report = report;
        part.whole = this;
        part.prefix = name + ": ";
    }

    /** Assigns values and tables to a part of the report, until {@link #endSection}. */
    public void beginSection(String name, String heading, String text) {
        Map<String, Object> part = new LinkedHashMap<>();
        report.values.put(name, part);
        report.section = part;
        report.page.section(heading).text(text);
        print("\n" + heading);
    }

    /** Returns the values of the section, and ends it. */
    public Map<String, Object> endSection() {
        Map<String, Object> ended = report.section;
        report.section = report.values;
        return ended;
    }

    /** Shows a table at the beginning of the page, instead of the one that was there. */
    public void lead(Table table) {
        report.page.lead(table);
    }

    /** Adds a figure to the file. */
    public void put(String name, Object value) {
        report.section.put(name, value);
    }

    public void print(Table table) {
        print(table.toString());
        report.page.table(table);
    }

    /** Prints a text, and adds it to the page. */
    public void note(String text) {
        print(text);
        report.page.note(text);
    }

    public void chart(Chart.Builder chart) {
        if (chart.isLine()) {
            report.page.chart(chart.build());
        }
    }

    public void chart(Chart chart) {
        report.page.chart(chart);
    }

    /** Records that a verification has failed. */
    public void fail(String failure) {
        report.failures.add(prefix + failure);
    }

    /** Records that a compared system has lost, reordered or changed a message, or does not run: it can't win. */
    public void disqualify(String what) {
        report.disqualified.add(prefix + what);
        progress("disqualified: " + what);
    }

    /** Records whether a bound of the requirements holds. */
    public void bound(String what, boolean isHeld) {
        print((isHeld ? "held:   " : "MISSED: ") + what);
        report.page.verdict((isHeld ? "held: " : "missed: ") + what, isHeld);
        if (!isHeld) {
            report.missed.add(prefix + what);
        }
    }

    // ------------------------------------------------------------------ the terminal

    /** Prints progress on the standard error. */
    public void progress(String text) {
        PrintWriter err = spec().commandLine().getErr();
        err.println((report.hasTick ? "\r\033[K" : "") + "  " + text);
        err.flush();
        report.hasTick = false;
    }

    /** Prints a transient text that the next one replaces; only on a terminal. */
    public void tick(String text) {
        if (isTerminal()) {
            PrintWriter err = spec().commandLine().getErr();
            err.print("\r\033[K  " + text);
            err.flush();
            report.hasTick = true;
        }
    }

    static boolean isTerminal() {
        return System.console() != null && System.console().isTerminal();
    }

    public void print(String text) {
        if (whole != null) {
            whole.print(text);
        } else if (!STANDARD_OUTPUT.equals(json)) {
            PrintWriter out = spec().commandLine().getOut();
            out.println(text);
            out.flush();
        }
    }

    /** Prints failures, writes the files, and returns the exit code. */
    public int finish() {
        if (whole != null) {
            return HELD;
        }
        Map<String, Object> machine = Machine.description();
        report.values.put("machine", machine);
        report.values.put("failures", report.failures);
        report.values.put("disqualified", report.disqualified);
        report.values.put("missed", report.missed);
        for (String failure : report.failures) {
            print("FAILED: " + failure);
            report.page.verdict("failed: " + failure, false);
        }
        for (String system : report.disqualified) {
            print("disqualified: " + system);
            report.page.text("disqualified: " + system);
        }
        print("machine: " + machine);
        report.page.facts(machine);
        save();
        if (STANDARD_OUTPUT.equals(json)) {
            spec().commandLine().getOut().println(Json.write(report.values));
            spec().commandLine().getOut().flush();
        }
        if (!report.failures.isEmpty()) {
            return FAILED;
        }
        return isStrict && !report.missed.isEmpty() ? MISSED : HELD;
    }

    /** Writes the files as far as there are results, so that these outlive an interruption. */
    public void save() {
        if (whole != null) {
            whole.save();
            return;
        }
        if (json != null && !STANDARD_OUTPUT.equals(json)) {
            write(Path.of(json), Json.write(report.values) + "\n");
        }
        if (html != null) {
            write(html, report.page.write(report.title));
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
