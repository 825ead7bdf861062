package dev.tutti.testkit;

import dev.tutti.sim.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What has happened, told in lines. */
final class Story {

    private final Simulation simulation;
    private final List<String> lines = new ArrayList<>();

    Story(Simulation simulation) {
        this.simulation = simulation;
    }

    /** @param who the process; empty for the network and the test */
    void tell(String who, String what) {
        simulation.note(who.isEmpty() ? what : who + " " + what);
        if (lines.size() < LINES_MAX) {
            lines.add(String.format(Locale.ROOT, "%12.6f s  %-3s %s", simulation.nowNanos() / 1e9, who, what));
        }
    }

    /** All of it, as far as it is kept. */
    List<String> lines() {
        return List.copyOf(lines);
    }

    /** The end of it. */
    List<String> last(int linesMax) {
        return List.copyOf(lines.subList(Math.max(0, lines.size() - linesMax), lines.size()));
    }

    private static final int LINES_MAX = 20_000;
}
