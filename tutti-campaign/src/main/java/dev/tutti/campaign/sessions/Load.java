package dev.tutti.campaign.sessions;

import dev.tutti.campaign.host.Pause;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Load without faults: each client writes, waits for the answer, and pauses for {@link #THINK_MILLIS}.
 *
 * @param sessions number of sessions, each with a client of its own
 * @param warmUp time before the measurement, in which the JVMs compile what the load uses
 * @param measured time of the measurement
 */
record Load(int sessions, Duration warmUp, Duration measured) {

    private static final long THINK_MILLIS = 20;

    /**
     * Results of one measurement.
     *
     * @param tally the answers
     * @param seconds duration
     * @param cpuSeconds CPU time that the nodes' processes used
     */
    record Result(Tally tally, double seconds, double cpuSeconds) {

        double rate() {
            return tally.confirmed.get() / seconds;
        }

        /** Returns the CPU time of all nodes for each request, in microseconds. */
        double cpuMicros() {
            return cpuSeconds * 1e6 / Math.max(1, tally.confirmed.get());
        }

        Map<String, Object> map() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("requests per second", Math.round(rate()));
            map.put("median ms", tally.latencyMillis(0.5));
            map.put("p99 ms", tally.latencyMillis(0.99));
            map.put("CPU us per request", Math.round(cpuMicros()));
            map.put("wrong reads", tally.wrong());
            map.put("of requests", tally.confirmed.get());
            return map;
        }
    }

    void warmUp(Tomcats tomcats) {
        run(tomcats, new Tally(), warmUp);
    }

    Result measure(Tomcats tomcats) {
        Tally tally = new Tally();
        double cpuBefore = tomcats.cpuSeconds();
        double seconds = run(tomcats, tally, measured);
        return new Result(tally, seconds, tomcats.cpuSeconds() - cpuBefore);
    }

    private double run(Tomcats tomcats, Tally tally, Duration time) {
        long began = System.nanoTime();
        List<Client> clients = tomcats.clients(sessions, Tomcats.Balancing.ANY, tally);
        Tomcats.underLoad(clients, THINK_MILLIS, () -> Pause.millis(time.toMillis()));
        return (System.nanoTime() - began) / 1e9;
    }
}
