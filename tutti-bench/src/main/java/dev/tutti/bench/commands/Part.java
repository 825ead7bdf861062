package dev.tutti.bench.commands;

import dev.tutti.bench.options.Output;

/** A measurement that is a command of its own, and a section of the report of all. */
interface Part {

    /** Measures, and puts tables, plots and figures into {@code output}. */
    void measure(Output output);
}
