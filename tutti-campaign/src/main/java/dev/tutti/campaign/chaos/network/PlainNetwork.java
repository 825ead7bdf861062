package dev.tutti.campaign.chaos.network;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Unchanged loopback: only the processes fail. */
public final class PlainNetwork implements Network {

    private final List<Integer> ports;

    public PlainNetwork(List<Integer> ports) {
        this.ports = ports;
    }

    @Override
    public String description() {
        return "loopback, without faults of its own";
    }

    @Override
    public Set<NetworkFault> faults() {
        return EnumSet.noneOf(NetworkFault.class);
    }

    @Override
    public List<String> prefix(int process) {
        return List.of();
    }

    @Override
    public Map<String, String> settings(int process) {
        return Map.of("bind.address", "127.0.0.1", "bind.port", Integer.toString(ports.get(process)));
    }

    @Override
    public String address(int process) {
        return "127.0.0.1:" + ports.get(process);
    }

    @Override
    public void lose(Map<Path, Double> losses) {
        throw unable();
    }

    @Override
    public void reset(int one, int other) {
        throw unable();
    }

    @Override
    public void halfOpen(int one, int other) {
        throw unable();
    }

    @Override
    public void slow(int process, boolean isSlow) {
        throw unable();
    }

    @Override
    public void corrupt(int from, int to) {
        throw unable();
    }

    private static UnsupportedOperationException unable() {
        return new UnsupportedOperationException("a plain network has no faults");
    }

    @Override
    public void heal() {}

    @Override
    public void close() {}
}
