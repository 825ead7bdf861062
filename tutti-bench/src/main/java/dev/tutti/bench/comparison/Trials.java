package dev.tutti.bench.comparison;

import dev.tutti.bench.process.BenchCluster.Outcome;
import dev.tutti.bench.report.Summary;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The repetitions of one load on one system. */
final class Trials {

    /** @param foreignCores cores that other processes of the machine used meanwhile */
    record Trial(Outcome outcome, double foreignCores, String load) {

        double rate() {
            return outcome.messagesPerSecond();
        }

        double cpuMicros() {
            return outcome.usage().cpuNanos() / 1e3 / Math.max(1, outcome.deliveries());
        }

        double allocatedBytes() {
            return (double) outcome.usage().allocatedBytes() / Math.max(1, outcome.deliveries());
        }

        double perPacket() {
            return outcome.packets() == 0 ? 0 : (double) outcome.sent() / outcome.packets();
        }
    }

    private final List<Trial> trials = new ArrayList<>();
    private @Nullable String fault;

    void add(Trial trial) {
        trials.add(trial);
    }

    /** Notes what one trial lost, reordered or changed, or why it did not run; no trial counts from then on. */
    void onFault(String what) {
        fault = what;
    }

    @Nullable String fault() {
        return fault;
    }

    /** Returns whether there is a result to compare. */
    boolean counts() {
        return fault == null && !trials.isEmpty();
    }

    Summary summary(ToDoubleFunction<Trial> figure) {
        return Summary.of(trials.stream().map(figure::applyAsDouble).toList());
    }

    Summary rate() {
        return summary(Trial::rate);
    }

    Summary cpuMicros() {
        return summary(Trial::cpuMicros);
    }

    /** Returns the difference between the highest and the lowest rate, as a part of the median. */
    double spread() {
        Summary rate = rate();
        return (rate.max() - rate.min()) / rate.median();
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        if (fault != null) {
            map.put("fault", fault);
        }
        if (!trials.isEmpty()) {
            map.put("messages-per-second", rate().toMap());
            map.put("spread", spread());
            map.put("all-messages-per-second", trials.stream().map(Trial::rate).toList());
            map.put("seconds", summary(each -> each.outcome().nanos() / 1e9).toMap());
            map.put("cpu-micros-per-delivery", cpuMicros().toMap());
            map.put("allocated-bytes-per-delivery", summary(Trial::allocatedBytes).toMap());
            map.put("messages", summary(each -> each.outcome().sent()).toMap());
            map.put("deliveries-to-others", summary(each -> each.outcome().others()).toMap());
            map.put("deliveries-to-self", summary(each -> each.outcome().own()).toMap());
            map.put("jit-millis", summary(each -> each.outcome().usage().jitMillis()).toMap());
            map.put("gc-millis", summary(each -> each.outcome().usage().gcMillis()).toMap());
            map.put("messages-per-packet", summary(Trial::perPacket).toMap());
            map.put("foreign-cores", summary(Trial::foreignCores).toMap());
        }
        return map;
    }
}
