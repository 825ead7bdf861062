package dev.tutti.campaign.grid;

import dev.tutti.campaign.sites.process.ProcessPipe;
import dev.tutti.grid.Filter;
import dev.tutti.grid.Gap;
import dev.tutti.grid.Grid;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.MeasurementListener;
import dev.tutti.grid.SubscriptionOptions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** The consumers of a process. They check order and completeness, and tell the coordinator of the run about losses. */
final class Audience {

    private static final int TOLD_MAX = 20;

    private final LoadPlan plan;
    private final int site;
    private final ConcurrentSkipListMap<String, Times> times = new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<Integer, Listener> listeners = new ConcurrentSkipListMap<>();
    private final LongAdder arrived = new LongAdder();
    private final LongAdder gaps = new LongAdder();
    private final LongAdder faults = new LongAdder();
    private volatile Phase phase = Phase.WARM_UP;

    Audience(LoadPlan plan, int site) {
        this.plan = plan;
        this.site = site;
    }

    /** Sets the phase that times belong to from now on. */
    void begin(Phase next) {
        phase = next;
    }

    void subscribe(Grid grid, int consumer) {
        Listener listener = new Listener(consumer);
        listeners.put(consumer, listener);
        Filter filter = Filter.topic(LoadPlan.group(consumer) + "#").where(LoadPlan.choiceOf(consumer).selector());
        grid.subscribe(SubscriptionOptions.of("c" + consumer, filter), listener);
    }

    /** Adds a time under way to those of the present phase. */
    void addTime(String path, long micros) {
        if (phase != Phase.WARM_UP) {
            times.computeIfAbsent(phase.text() + '-' + path, _ -> new Times()).add(micros);
        }
    }

    /** The state of one producer at one consumer. */
    private static final class Known {
        private long last;
        private long lastMillis;
        private long gaps;
        private String id = "";
        /** Losses without a gap at their place: measurements that come late are told as a gap then. */
        private final List<Loss> untold = new ArrayList<>();
    }

    private final class Listener implements MeasurementListener {

        private final int consumer;
        private final Choice choice;

        // Guarded by this.
        private final TreeMap<Integer, Known> producers = new TreeMap<>();
        private final TreeMap<String, Long> gapsByProducer = new TreeMap<>();
        private long gapsOfAll;

        Listener(int consumer) {
            this.consumer = consumer;
            this.choice = LoadPlan.choiceOf(consumer);
        }

        @Override
        public synchronized void onMeasurement(Measurement measurement) {
            int producer = LoadPlan.producerOf(measurement.topic().path());
            long number = measurement.sequence();
            String zone = plan.zoneOf(producer);
            arrived.increment();
            time(producer, measurement.time());
            Known known = producers.computeIfAbsent(producer, _ -> new Known());
            if (!choice.accepts(number, zone) || plan.consumerOf(producer) != consumer) {
                fault("got number " + number + " of producer " + producer + ", which " + choice + " does not choose");
            }
            if (number <= known.last) {
                fault("got number " + number + " of producer " + producer + " after " + known.last);
                return;
            }
            known.id = measurement.producer();
            skip(producer, known, number, measurement.time().toEpochMilli());
            known.last = number;
            known.lastMillis = measurement.time().toEpochMilli();
        }

        /** Tells of the measurements before {@code end} that have not come. */
        private void skip(int producer, Known known, long end, long endMillis) {
            long gapsNow = gapsOfAll + gapsByProducer.getOrDefault(known.id, 0L);
            boolean isTold = gapsNow > known.gaps;
            known.gaps = gapsNow;
            long count = 0;
            long first = 0;
            for (long number = end - 1; number > known.last; number--) {
                if (choice.accepts(number, plan.zoneOf(producer))) {
                    count++;
                    first = number;
                }
            }
            if (count > 0) {
                Loss loss = new Loss(consumer, producer, count, first, known.lastMillis, endMillis, isTold);
                if (isTold) {
                    tell(loss);
                } else {
                    known.untold.add(loss);
                }
            }
        }

        private void tell(Loss loss) {
            ProcessPipe.tell("lost " + loss.text());
        }

        /** Takes a gap of one producer for what it may be about: all that was missing before. */
        private void onGapOf(String id) {
            for (Known known : producers.values()) {
                if (known.id.equals(id)) {
                    known.untold.forEach(loss -> tell(loss.told()));
                    known.untold.clear();
                }
            }
        }

        @Override
        public synchronized void onGap(Gap gap) {
            gaps.increment();
            if (gap.producer().isEmpty()) {
                gapsOfAll++;
            } else {
                gapsByProducer.merge(gap.producer(), 1L, Long::sum);
                onGapOf(gap.producer());
            }
        }

        private void fault(String text) {
            faults.increment();
            if (faults.sum() <= TOLD_MAX) {
                ProcessPipe.tell("found consumer " + consumer + " " + text);
            }
        }

        private void time(int producer, Instant sent) {
            String path = (plan.isClient(producer) ? "client" : "member") + "-to-" + (LoadPlan.isClientConsumer(consumer) ? "client" : "member")
                    + (plan.siteOf(producer) == site ? "-same-site" : "-other-site");
            addTime(path, ChronoUnit.MICROS.between(sent, Instant.now()));
        }

        /** Tells of what is missing at the end. */
        synchronized void end(int producer, long published) {
            Known known = producers.computeIfAbsent(producer, _ -> new Known());
            skip(producer, known, published + 1, System.currentTimeMillis());
            known.untold.forEach(this::tell);
            known.untold.clear();
        }
    }

    long arrived() {
        return arrived.sum();
    }

    /** Tells of what is missing at the end of the run, and the times. */
    void report(Map<Integer, Long> published) {
        published.forEach((producer, count) -> {
            Listener listener = listeners.get(plan.consumerOf(producer));
            if (listener != null) {
                listener.end(producer, count);
            }
        });
        times.forEach((path, each) -> ProcessPipe.tell("times " + path + " " + each));
        ProcessPipe.tell("audience " + arrived.sum() + " " + gaps.sum());
    }
}
