package dev.tutti.cli.migration;

import dev.tutti.cli.migration.Finding.Outcome;
import dev.tutti.cli.migration.Rule.Use;
import dev.tutti.cli.migration.Rule.Verdict;

/** Rules that compute a setting from several values. */
final class Quantities {

    private static final String WINDOW = "group.window";
    private static final String LAYERS = "group.layers";
    private static final String RATE = "group.layer.rate-limit.bytes";

    private Quantities() {}

    /** Credits of multicasts and of unicasts become one window, the larger of the two. */
    static Verdict window(Use use) {
        long bytes = Forms.bytes(use.value());
        if (use.draft().has(WINDOW) && Forms.bytes(use.draft().text(WINDOW)) > bytes) {
            return Verdict.changed(WINDOW, "one window for multicasts and unicasts, the larger of the two");
        }
        return Rule.tried(WINDOW, use, Forms.size(use.value()), new Verdict(Outcome.KEPT, WINDOW, ""));
    }

    static Verdict compression(Use use) {
        use.draft().add(LAYERS, "compression");
        return Verdict.changed(LAYERS, "LZ4 in place of deflate");
    }

    /** Bytes per time become bytes per second. */
    static Verdict rate(Use use) {
        String limit = use.value("max_bytes", "");
        String period = use.value("time_period", use.value("interval", ""));
        if (limit.isEmpty() || period.isEmpty()) {
            return Verdict.refused("has no max_bytes or no time", "write both, max_bytes=\"1M\" time_period=\"10ms\" for example");
        }
        long bytes = Forms.bytes(limit);
        long millis = Math.max(1, Forms.millis(period));
        use.draft().add(LAYERS, "rate-limit");
        String perSecond = Math.multiplyExact(bytes, 1_000L) / millis + " B";
        return Rule.tried(RATE, use, perSecond, Verdict.changed(RATE, "bytes per second"));
    }
}
