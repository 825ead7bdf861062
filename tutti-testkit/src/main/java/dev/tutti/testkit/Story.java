package dev.tutti.testkit;

import dev.tutti.sim.Simulation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Events of a run, as lines of text. */
final class Story {

    private record Line(String text, boolean isDetail) {}

    private final Simulation simulation;
    private final ArrayDeque<Line> lines = new ArrayDeque<>();

    Story(Simulation simulation) {
        this.simulation = simulation;
    }

    /** @param who name of the process; empty for the network and the test */
    void tell(String who, String what) {
        add(who, what, false);
    }

    /** Adds a line that only matters while it is recent. */
    void tellDetail(String who, String what) {
        add(who, what, true);
    }

    private void add(String who, String what, boolean isDetail) {
        simulation.note(who.isEmpty() ? what : who + " " + what);
        if (lines.size() >= LINES_MAX) {
            lines.poll();
        }
        lines.add(new Line(
                String.format(Locale.ROOT, "%12.6f s  %-3s %s", simulation.nowNanos() / 1e9, who, what), isDetail));
    }

    /** Returns all lines that are kept. */
    List<String> lines() {
        return lines.stream().map(Line::text).toList();
    }

    /** Returns the last lines, oldest first; details only at the very end. */
    List<String> last(int linesMax) {
        List<String> shown = new ArrayList<>();
        int details = 0;
        var backwards = lines.descendingIterator();
        while (backwards.hasNext() && shown.size() < linesMax) {
            Line line = backwards.next();
            if (!line.isDetail() || details < DETAILS_MAX) {
                details += line.isDetail() ? 1 : 0;
                shown.add(line.text());
            }
        }
        return shown.reversed();
    }

    private static final int LINES_MAX = 20_000;
    private static final int DETAILS_MAX = 8;
}
