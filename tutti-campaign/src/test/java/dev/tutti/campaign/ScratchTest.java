package dev.tutti.campaign;

import dev.tutti.sim.DatagramNetwork;
import dev.tutti.sim.DatagramPath;
import dev.tutti.sim.DatagramProcess;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Simulation;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ScratchTest {
    @Test
    void look() {
        DatagramPair pair = new DatagramPair(7, 60_000);
        pair.simulation.datagrams().setPath(DatagramPath.LOCAL.withLoss(0.3));
        pair.start().connect();
        pair.send(pair.first, 2000, 60_000);
        for (int i = 0; i < 60; i++) {
            pair.simulation.advance(Duration.ofMillis(10));
            var c = DatagramPair.counters(pair.first);
            c.keySet().retainAll(java.util.List.of("in-flight-bytes", "window-bytes", "probes", "lost-datagrams", "loss-percent", "round-trip-micros", "bandwidth-bytes-per-second", "sent-datagrams"));
            System.out.println(pair.simulation.nowNanos() / 1000 + " " + DatagramPair.talker(pair.second).expected + " " + c);
        }
    }
}
