package dev.tutti.cli.grid;

import dev.tutti.cli.grid.DemoMediator.Place;
import dev.tutti.cli.node.Interruption;
import dev.tutti.cli.terminal.ExitCodes;
import dev.tutti.cli.terminal.Terminal;
import dev.tutti.core.settings.SettingException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tutti grid demo}: three sites on this machine, of which one loses a mediator. */
@Command(
        name = "demo",
        description = "Three sites on this machine, each a process with a mediator, one with two. Clients publish figures of this machine,"
                + " and get those of all others; one mediator is killed, and it is told what the clients do then.",
        footer = {
            "",
            "It prints the address of a page that shows the sites, the flows, and charts of all numbers. Control-C ends it.",
            "The exit code is 1 if a measurement is missing and nobody was told.",
            "",
            "Examples:",
            "  tutti grid demo",
            "  tutti grid demo --smoke          without a person, with a verdict",
            "  tutti grid demo --seconds 300"
        })
public final class GridDemoCommand implements Callable<Integer> {

    private static final int SMOKE_SECONDS = 20;
    private static final int KILL_SECONDS = 20;
    private static final int KILL_SHARE = 3;

    private final Terminal terminal;

    @Option(names = "--smoke", description = "Ends by itself, after " + SMOKE_SECONDS + " seconds of traffic unless --seconds says otherwise.")
    private boolean isSmoke;

    @Option(names = "--seconds", paramLabel = "COUNT", description = "Time of traffic after which it ends by itself, 6 at least.")
    private int seconds;

    public GridDemoCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        // The story tells what happens to connections.
        System.setProperty("org.slf4j.simpleLogger.log.dev.tutti.grid.client", "error");
        if (isSmoke && seconds == 0) {
            seconds = SMOKE_SECONDS;
        }
        if (seconds != 0 && seconds < 2 * KILL_SHARE) {
            throw new SettingException("--seconds: a mediator is killed on the way, which takes "
                    + 2 * KILL_SHARE + " seconds at least, not " + seconds);
        }
        try (GridDemo demo = new GridDemo(terminal);
                Interruption _ = Interruption.runs(demo::close)) {
            demo.start(
                    Place.of("berlin", "berlin-m1"), Place.of("berlin", "berlin-m2"), Place.of("paris", "paris-m1"), Place.of("tokyo", "tokyo-m1"));
            int before = seconds == 0 ? KILL_SECONDS : Math.min(KILL_SECONDS, seconds / KILL_SHARE);
            demo.run(before);
            demo.kill("berlin-m1");
            demo.run(seconds == 0 ? Integer.MAX_VALUE : seconds - before);
            return demo.end() ? ExitCodes.DONE : ExitCodes.FAILED;
        }
    }
}
