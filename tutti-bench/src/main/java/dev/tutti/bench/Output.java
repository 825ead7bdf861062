package dev.tutti.bench;

import dev.tutti.internal.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** What all measurements have in common: where results go, which bounds hold, and what the processes are started with. */
final class Output {

    private static final int HELD = 0;
    private static final int FAILED = 1;
    private static final int MISSED = 3;

    @Spec(Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Writes the results to a file too; - for the standard output.")
    private @Nullable String json;

    @Option(names = "--strict", description = "Exits with 3 if a bound of the requirements is missed.")
    private boolean isStrict;

    @Option(
            names = "--heap",
            paramLabel = "SIZE",
            description = "Heap of each process as the JVM writes it. Default: 512m; slow: 64m.")
    private @Nullable String heap;

    @Option(
            names = "--jvm",
            paramLabel = "OPTION",
            description = "A further option for each process's JVM; may be repeated.")
    private List<String> options = new ArrayList<>();

    private final Map<String, Object> values = new LinkedHashMap<>();
    private final List<String> failures = new ArrayList<>();
    private final List<String> missed = new ArrayList<>();

    List<String> jvmOptions(String heapDefault) {
        List<String> all = new ArrayList<>(List.of(
                "-Xmx" + (heap == null ? heapDefault : heap),
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.net.preferIPv4Stack=true",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"));
        // What the launcher has kept from a rehearsal serves the members of every system.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-XX:AOTCache=") || argument.startsWith("-Xlog:aot="))
                .forEach(all::add);
        all.addAll(options);
        values.put("jvm", List.copyOf(all));
        return all;
    }

    /** A figure for the file. */
    void put(String name, Object value) {
        values.put(name, value);
    }

    /** What is under way, on the standard error. */
    void progress(String text) {
        PrintWriter err = spec().commandLine().getErr();
        err.println("  " + text);
        err.flush();
    }

    void print(Object text) {
        if (!"-".equals(json)) {
            PrintWriter out = spec().commandLine().getOut();
            out.println(text);
            out.flush();
        }
    }

    /** Verification has not held. */
    void fail(String failure) {
        failures.add(failure);
    }

    /** A bound of the requirements. */
    void bound(String what, boolean isHeld) {
        print((isHeld ? "held:   " : "MISSED: ") + what);
        if (!isHeld) {
            missed.add(what);
        }
    }

    /** Prints what failed, writes the file, and says how to exit. */
    int finish() {
        values.put("machine", Machine.description());
        values.put("failures", failures);
        values.put("missed", missed);
        for (String failure : failures) {
            print("FAILED: " + failure);
        }
        print("machine: " + Machine.description());
        String file = json;
        if ("-".equals(file)) {
            spec().commandLine().getOut().println(Json.write(values));
            spec().commandLine().getOut().flush();
        } else if (file != null) {
            try {
                Files.writeString(Path.of(file), Json.write(values) + "\n", StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new BenchException("can't write " + file + ": " + e, e);
            }
        }
        if (!failures.isEmpty()) {
            return FAILED;
        }
        return isStrict && !missed.isEmpty() ? MISSED : HELD;
    }

    private CommandSpec spec() {
        if (spec == null) {
            throw new IllegalStateException("not part of a command");
        }
        return spec;
    }
}
