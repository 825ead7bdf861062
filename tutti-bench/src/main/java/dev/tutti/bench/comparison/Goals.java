package dev.tutti.bench.comparison;

import dev.tutti.bench.options.Output;
import dev.tutti.bench.systems.SystemKind;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Requirements on one comparison, for the loads that have any; and the ratios in any case. */
final class Goals {

    private static final int KIBIBYTE = 1024;
    private static final int SMALL = 100;
    private static final int LARGE_MIN = 10 * KIBIBYTE;
    private static final int LARGE_MAX = 1 << 20;

    /** Least rate, as a part of that of bare sockets. */
    private static final double LIMIT_MIN = 0.6;

    private static final double LIMIT_LARGE_MIN = 0.7;

    /** Least ratio of IP multicast to the reference's. */
    private static final double MULTICAST_MIN = 10;

    /** Greatest ratio of TCP to IP multicast. */
    private static final double TCP_MAX = 2;

    private static final double SPREAD_MAX = 0.3;

    /** Least rate of total order by turns, as a part of that of FIFO. */
    private static final double ROTATION_MIN = 0.6;

    /** Least ratio of total order to that of the reference. */
    private static final double TOTAL_MIN = 5;

    private final Output output;
    private final Load load;
    private final Map<SystemKind, Trials> results;

    Goals(Output output, Load load, Map<SystemKind, Trials> results) {
        this.output = output;
        this.load = load;
        this.results = results;
    }

    /** Judges the results, and returns the figures for the file. */
    Map<String, Object> judge() {
        Map<String, Object> figures = new LinkedHashMap<>();
        Map<String, Object> rates = new LinkedHashMap<>();
        results.forEach((system, trials) -> {
            if (trials.counts()) {
                rates.put(system.toString(), trials.rate().median());
            }
        });
        figures.put("rates", rates);
        SystemKind own = own();
        if (own != null) {
            against(figures, "ratio", own, best(Goals::isReference), referenceMin());
            against(figures, "limit-ratio", own, best(kind -> kind == SystemKind.LIMIT), limitMin());
            for (String other : List.of("tribes", "zeromq", "jeromq", "nats")) {
                double least = load.senders() == 1 && load.bytes() == KIBIBYTE && isOneOf(4, 8) ? 1 : 0;
                against(figures, other + "-ratio", own, best(kind -> kind.family().equals(other)), least);
            }
            cpu(figures, own);
        }
        multicast(figures);
        orders(figures);
        return figures;
    }

    /** Returns the configuration that users get, if it was measured, else the best one of tutti. */
    private @Nullable SystemKind own() {
        for (SystemKind kind : List.of(SystemKind.TUTTI, SystemKind.TUTTI_INLINE)) {
            if (counts(kind)) {
                return kind;
            }
        }
        return best(kind -> kind.family().equals("tutti"));
    }

    /** Returns whether it is a configuration of the reference with the same guarantees. */
    private static boolean isReference(SystemKind kind) {
        return kind.family().equals("jgroups")
                && kind != SystemKind.JGROUPS_SEQUENCER
                && !kind.toString().endsWith("uncontrolled");
    }

    private boolean counts(SystemKind kind) {
        Trials trials = results.get(kind);
        return trials != null && trials.counts();
    }

    private double rate(SystemKind kind) {
        Trials trials = results.get(kind);
        return trials == null ? 0 : trials.rate().median();
    }

    private @Nullable SystemKind best(Predicate<SystemKind> condition) {
        Optional<SystemKind> best = results.keySet().stream()
                .filter(condition)
                .filter(this::counts)
                .max(Comparator.comparingDouble(this::rate));
        return best.orElse(null);
    }

    /** @param least 0 if nothing is required */
    private void against(
            Map<String, Object> figures, String name, @Nullable SystemKind own, @Nullable SystemKind other, double least) {
        if (own == null || other == null) {
            return;
        }
        double ratio = rate(own) / rate(other);
        figures.put(name, ratio);
        String text = String.format(Locale.ROOT, "%s: %s %.2f times the rate of %s", load, own, ratio, other);
        if (least > 0) {
            output.bound(String.format(Locale.ROOT, "%s, at least %.1f", text, least), ratio >= least);
        } else {
            output.note(text);
        }
    }

    private boolean isOneOf(int... members) {
        for (int one : members) {
            if (load.members() == one) {
                return true;
            }
        }
        return false;
    }

    private boolean isLarge() {
        return load.bytes() >= LARGE_MIN && load.bytes() <= LARGE_MAX;
    }

    /** Returns the least ratio to the reference; 0 if nothing is required. */
    private double referenceMin() {
        if (load.threads() > 1 || !load.isAll() && load.senders() > 1) {
            return 0;
        }
        boolean isFour = load.members() == 4;
        boolean isEight = load.members() == 8;
        if (load.bytes() == KIBIBYTE) {
            if (load.isAll()) {
                return isFour ? 4.5 : isOneOf(8, 16) ? 6 : 0;
            }
            return isFour ? 3.5 : isEight ? 5 : load.members() == 16 ? 3 : 0;
        }
        if (load.bytes() == SMALL) {
            return isFour ? 8 : isEight ? 12 : 0;
        }
        return isLarge() ? isFour ? 2.3 : isEight ? 2.7 : 0 : 0;
    }

    private double limitMin() {
        if (load.threads() > 1 || !isOneOf(4, 8, 16)) {
            return 0;
        }
        return load.bytes() == KIBIBYTE ? LIMIT_MIN : isLarge() ? LIMIT_LARGE_MIN : 0;
    }

    private void cpu(Map<String, Object> figures, SystemKind own) {
        SystemKind reference = best(Goals::isReference);
        Trials ownTrials = results.get(own);
        Trials others = reference == null ? null : results.get(reference);
        if (ownTrials == null || others == null) {
            return;
        }
        double ratio = ownTrials.cpuMicros().median() / others.cpuMicros().median();
        figures.put("cpu-ratio", ratio);
        String text = String.format(Locale.ROOT, "%s: %s %.2f of the CPU per delivery of %s", load, own, ratio, reference);
        double most = load.bytes() != KIBIBYTE ? 0 : load.members() == 4 ? 1 / 3.0 : load.members() == 16 ? 1 / 5.0 : 0;
        if (most > 0) {
            output.bound(String.format(Locale.ROOT, "%s, at most %.2f", text, most), ratio <= most);
        } else {
            output.note(text);
        }
    }

    private void multicast(Map<String, Object> figures) {
        SystemKind own = counts(SystemKind.TUTTI_UDP) ? SystemKind.TUTTI_UDP : null;
        Trials trials = own == null ? null : results.get(own);
        if (own == null || trials == null) {
            return;
        }
        boolean isRequired = load.isAll() && load.bytes() == KIBIBYTE && isOneOf(4, 8);
        against(
                figures,
                "multicast-ratio",
                own,
                best(kind -> isReference(kind) && kind.toString().startsWith("jgroups-udp")),
                isRequired ? MULTICAST_MIN : 0);
        if (!counts(SystemKind.TUTTI)) {
            return;
        }
        double factor = rate(SystemKind.TUTTI) / rate(own);
        figures.put("tcp-to-multicast", factor);
        String text = String.format(
                Locale.ROOT,
                "%s: TCP is %.2f times as fast as multicast, whose spread is %.0f %%",
                load,
                factor,
                100 * trials.spread());
        if (isRequired) {
            output.bound(
                    String.format(Locale.ROOT, "%s; at most %.0f, below %.0f %%", text, TCP_MAX, 100 * SPREAD_MAX),
                    factor <= TCP_MAX && trials.spread() < SPREAD_MAX);
        } else {
            output.note(text);
        }
    }

    private void orders(Map<String, Object> figures) {
        boolean isRequired = load.members() == 4 && load.bytes() == KIBIBYTE;
        double rotationMin = isRequired && load.isAll() ? ROTATION_MIN : 0;
        pair(figures, SystemKind.TUTTI_ROTATION, SystemKind.TUTTI, rotationMin);
        pair(figures, SystemKind.TUTTI_SEQUENCER, SystemKind.JGROUPS_SEQUENCER, isRequired ? TOTAL_MIN : 0);
        pair(
                figures,
                SystemKind.TUTTI_ROTATION,
                SystemKind.JGROUPS_SEQUENCER,
                isRequired && load.isAll() ? TOTAL_MIN : 0);
    }

    private void pair(Map<String, Object> figures, SystemKind one, SystemKind other, double least) {
        if (counts(one) && counts(other)) {
            against(figures, one + "/" + other, one, other, least);
        }
    }
}
