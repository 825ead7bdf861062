package dev.tutti.campaign.cluster;

import dev.tutti.sim.DatagramNetwork;
import dev.tutti.sim.DatagramPath;
import dev.tutti.sim.Network;
import dev.tutti.sim.Path;
import dev.tutti.sim.SimulatedNode;
import dev.tutti.sim.Simulation;
import java.time.Duration;
import java.util.List;

/** Paths between the nodes of a cluster: the common ones, and those that are slower. */
public final class ClusterPaths {

    private final Network network;
    private final DatagramNetwork datagrams;
    private Path path = Path.LOCAL;
    private DatagramPath datagramPath = DatagramPath.LOCAL;

    ClusterPaths(Simulation simulation) {
        this.network = simulation.network();
        this.datagrams = simulation.datagrams();
    }

    /** Sets the paths between all nodes, and ends all delays. */
    public void set(Path path, DatagramPath datagramPath) {
        this.path = path;
        this.datagramPath = datagramPath;
        network.clearPaths();
        network.setPath(path);
        datagrams.clearPaths();
        datagrams.setPath(datagramPath);
    }

    /** Makes frames from {@code here} to {@code there} take {@code more} time than on the common path. */
    void delay(List<SimulatedNode> here, List<SimulatedNode> there, Duration more) {
        Path slowPath = path.withLatency(path.latency().plus(more), path.jitter());
        DatagramPath slowDatagrams = datagramPath.withLatency(datagramPath.latency().plus(more), datagramPath.jitter());
        for (SimulatedNode from : here) {
            for (SimulatedNode to : there) {
                network.setPath(from, to, slowPath);
                datagrams.setPath(from, to, slowDatagrams);
            }
        }
    }
}
