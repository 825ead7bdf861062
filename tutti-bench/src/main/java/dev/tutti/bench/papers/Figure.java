package dev.tutti.bench.papers;

import java.util.List;

/**
 * A row of the comparison: one figure of a paper, and how it is read from the results of the command that repeats it.
 *
 * @param what the figure, with its unit
 * @param theirs the value in the paper; empty if it has none
 * @param source the paper, and the part of it
 * @param systems whose figures are the columns of {@link #COLUMNS}; an empty name leaves a column empty
 */
public record Figure(String what, String theirs, Source source, List<String> systems, Reading reading) {

    /** Titles of the columns that {@link #systems} fill. */
    static final List<String> COLUMNS = List.of("tutti", "JGroups 5.5", "bare sockets");

    /** @param part of the paper, such as {@code n-n over UDP} */
    public record Source(Paper paper, String part) {

        @Override
        public String toString() {
            return part.isEmpty() ? paper.toString() : paper + ", " + part;
        }
    }

    /** Reads one figure of a system from the results of a command. */
    public interface Reading {

        /** Returns the figure; empty if the load was not measured, or the system did not take it. */
        String of(Results results, String system);
    }

    public Figure {
        if (systems.size() != COLUMNS.size()) {
            throw new IllegalArgumentException(what + " names " + systems.size() + " systems for " + COLUMNS.size() + " columns");
        }
    }

    /** Returns the cells of {@link #COLUMNS}. */
    List<String> measured(Results results) {
        return systems.stream().map(system -> system.isEmpty() ? "" : reading.of(results, system)).toList();
    }
}
