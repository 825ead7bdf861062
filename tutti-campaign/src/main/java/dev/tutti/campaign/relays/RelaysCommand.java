package dev.tutti.campaign.relays;

import dev.tutti.campaign.chaos.process.ProcessPool;
import dev.tutti.campaign.chaos.process.Program;
import dev.tutti.campaign.chaos.process.Workload;
import dev.tutti.campaign.commands.CampaignCommand;
import dev.tutti.campaign.host.Scratch;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tutti relays}: nodes behind routers, and rendezvous servers that end. */
@Command(
        name = "relays",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Starts six nodes, five of them behind two routers that let nobody in and give the same private addresses, and"
                + " three rendezvous servers; kills servers, and checks what the nodes have delivered.",
        footer = {
            "",
            "Needs root, ip and nft. It works only in network namespaces of its own.",
            "",
            "Exit codes: 0 nothing was broken, 1 something was, 2 wrong usage.",
            "",
            "Examples:",
            "  tutti relays",
            "  tutti relays --away 20 --json",
        })
public final class RelaysCommand extends CampaignCommand {

    @Option(names = "--away", paramLabel = "SECONDS", description = "Time for which the only server is away. Default: ${DEFAULT-VALUE}.")
    private int awaySeconds = 60;

    @Option(names = "--interval", paramLabel = "MILLIS", description = "Time between two messages of a node. Default: ${DEFAULT-VALUE}.")
    private long intervalMillis = 5;

    @Option(names = "--json", description = "Prints the result as JSON.")
    private boolean isJson;

    @Option(names = "--keep", description = "Keeps journals and logs.")
    private boolean isKept;

    @Override
    public Integer call() {
        Map<String, String> settings = new TreeMap<>();
        // A server may be away for as long without a change of the view.
        settings.put("detection.timeout", "10 s");
        Path directory = Scratch.directory("tutti-relays-");
        say("journals and logs are in " + directory);
        long began = System.nanoTime();
        RelaysRun.Outcome outcome;
        try (NatNetwork network = NatNetwork.open();
                Servers servers = new Servers(network, directory)) {
            for (int server = 0; server < NatNetwork.SERVERS; server++) {
                servers.start(server);
            }
            RelaysRun run;
            try (ProcessPool nodes = new ProcessPool(
                    network, NatNetwork.NODES, directory, settings, intervalMillis, _ -> Program.here(List.of()), Workload.MESSAGES)) {
                Thread hook = ender(nodes, servers, network);
                Runtime.getRuntime().addShutdownHook(hook);
                run = new RelaysRun(nodes, servers, this::say);
                run.run(awaySeconds * 1_000L);
                Runtime.getRuntime().removeShutdownHook(hook);
            }
            outcome = run.check((System.nanoTime() - began) / 1e9, began);
        }
        out().print(isJson ? outcome.json() : outcome.text());
        out().flush();
        if (outcome.violations().isEmpty() && !isKept) {
            Scratch.delete(directory);
        } else {
            say("journals and logs are kept in " + directory);
        }
        return outcome.violations().isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private static Thread ender(ProcessPool nodes, Servers servers, NatNetwork network) {
        return new Thread(() -> {
            nodes.close();
            servers.close();
            network.close();
        });
    }
}
