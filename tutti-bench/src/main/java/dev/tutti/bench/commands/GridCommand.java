package dev.tutti.bench.commands;

import dev.tutti.bench.comparison.Axes;
import dev.tutti.bench.comparison.Experiment;
import dev.tutti.bench.comparison.Grid;
import dev.tutti.bench.options.Output;
import dev.tutti.bench.options.Rounds;
import dev.tutti.bench.options.Systems;
import dev.tutti.bench.systems.SystemKind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Messages per second of some loads on some systems. */
@Command(mixinStandardHelpOptions = true)
final class GridCommand implements Callable<Integer> {

    @Mixin
    private final Axes axes = new Axes();

    @Mixin
    private final Systems systems = new Systems();

    @Option(
            names = "--against",
            paramLabel = "SYSTEM",
            split = ",",
            description = "Instead of --systems: tutti and these.")
    private List<SystemKind> against = List.of();

    @Mixin
    private final Rounds rounds = new Rounds();

    @Mixin
    private final Output output = new Output();

    private final Experiment experiment;

    private GridCommand(Experiment experiment) {
        this.experiment = experiment;
    }

    /** Returns the command line with the defaults and the help of an experiment. */
    static CommandLine of(Experiment experiment) {
        CommandLine line = Bench.of(new GridCommand(experiment), experiment.defaults());
        line.getCommandSpec().name(experiment.command()).usageMessage().description(experiment.title() + ".",
                experiment.description(),
                "Each repetition starts new processes, warms them up and measures; the systems take turns.");
        return line;
    }

    @Override
    public Integer call() {
        output.title(experiment.title());
        output.note(experiment.description());
        measure(output);
        return output.finish();
    }

    private void measure(Output to) {
        Grid grid = Grid.measure(axes, systems(), rounds, to.layout(experiment.heap()), to);
        switch (experiment) {
            case THREADS -> grid.judgeThreads();
            case SCALING -> grid.judgeScaling();
            case MEMORY -> grid.judgeWhole();
            default -> {}
        }
    }

    private List<SystemKind> systems() {
        if (against.isEmpty()) {
            return systems.all();
        }
        Set<SystemKind> all = new LinkedHashSet<>(List.of(SystemKind.TUTTI));
        all.addAll(against);
        return new ArrayList<>(all);
    }
}
