package dev.tutti.cli.doctor;

import dev.tutti.cli.doctor.Finding.Level;
import dev.tutti.cli.node.NodeOptions;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.core.Printable;
import dev.tutti.core.settings.NodeSpec;
import dev.tutti.core.settings.Settings.Source;
import dev.tutti.internal.Json;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tutti doctor}: finds what keeps a node from meeting others, and tells what to change. */
@Command(
        name = "doctor",
        description = "Looks for what keeps a node from meeting others, and says what to change.",
        footer = {
            "",
            "Takes the configuration of the node, as 'tutti node' does, and looks at certificates, open files and buffers, the "
                    + "port, names, routes and netmask, multicast, whether others can be reached, with large packets too, and whether they "
                    + "take this node for one of theirs: cluster, secret, clock, and how groups are set up. It joins no group.",
            "",
            "Examples:",
            "  tutti doctor --config node.yaml",
            "  tutti doctor --bind SITE_LOCAL --secret-file secret --seed ann:7800,bob:7800",
            "  tutti doctor --seed ann:7800 --group chat -D group.stack=total",
            "  tutti doctor --json",
            "",
            "Exit codes: 0 nothing is wrong, 1 something is, 2 wrong option or configuration."
        })
public final class DoctorCommand implements Callable<Integer> {

    private static final int COLUMN = 14;

    private final Terminal terminal;
    private final InstantSource clock;

    @Mixin
    private NodeOptions options = new NodeOptions();

    @Option(
            names = "--group",
            paramLabel = "NAME",
            split = ",",
            description = "A group whose set-up is compared with that of others; may be repeated. Those of --config are anyway.")
    private List<String> groups = List.of();

    @Option(names = "--json", description = "Prints what was found as JSON.")
    private boolean isJson;

    public DoctorCommand(Terminal terminal) {
        this(terminal, InstantSource.system());
    }

    DoctorCommand(Terminal terminal, InstantSource clock) {
        this.terminal = terminal;
        this.clock = clock;
    }

    @Override
    public Integer call() throws InterruptedException {
        // A file belongs to a program, which does not look for others on its own machine by default.
        NodeSpec spec = (options.hasFile() ? options.builder() : options.onThisMachine()).spec();
        var seeds = spec.node().explicit().get("discovery.seeds");
        boolean isExpected = seeds != null && seeds.source() != Source.PRESET;
        List<Finding> all = new Doctor(spec, groups, clock, isExpected).run(this::begin, this::show);
        long faults = all.stream().filter(each -> each.level() == Level.FAULT).count();
        if (isJson) {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("faults", faults);
            document.put("findings", all.stream().map(DoctorCommand::document).toList());
            terminal.print(Json.write(document));
        } else {
            erase();
            terminal.print(faults == 0 ? "Nothing is wrong." : faults == 1 ? "One thing is wrong." : faults + " things are wrong.");
        }
        return faults == 0 ? ExitCodes.DONE : ExitCodes.FAILED;
    }

    /** Shows people which check is running, in a line that its result replaces. */
    private void begin(String check) {
        if (!isJson && terminal.hasColours()) {
            erase();
            terminal.out().print(terminal.faint("  … " + check));
            terminal.out().flush();
        }
    }

    private void erase() {
        if (terminal.hasColours()) {
            terminal.out().print("\r\u001b[K");
        }
    }

    private void show(Finding finding) {
        if (isJson) {
            return;
        }
        erase();
        String mark =
                switch (finding.level()) {
                    case OK -> "ok   ";
                    case NOTE -> "note ";
                    case FAULT -> terminal.bold("FAULT");
                };
        String check = finding.check() + " ".repeat(Math.max(1, COLUMN - finding.check().length()));
        terminal.print(mark + "  " + check + Printable.escape(finding.text()));
        if (!finding.advice().isEmpty()) {
            terminal.print(" ".repeat(7 + COLUMN) + "-> " + Printable.escape(finding.advice()));
        }
    }

    private static Map<String, Object> document(Finding finding) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("check", finding.check());
        document.put("level", finding.level().name().toLowerCase(Locale.ROOT));
        document.put("text", finding.text());
        document.put("advice", finding.advice());
        return document;
    }
}
