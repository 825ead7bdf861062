package dev.tutti.campaign.cluster;

import dev.tutti.core.Memory;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.protocols.datagram.DatagramLimits;
import dev.tutti.protocols.datagram.DatagramNode;
import dev.tutti.protocols.datagram.DatagramSecrets;
import dev.tutti.protocols.node.GroupSettings;
import dev.tutti.protocols.node.NodeMachine;
import dev.tutti.protocols.node.NodeSettings;
import dev.tutti.protocols.packing.PacketSizes;
import dev.tutti.sim.DatagramProcess;
import dev.tutti.sim.check.Promise;
import java.util.List;
import java.util.stream.IntStream;

/** Settings of the nodes of a cluster and of their group. A change counts for nodes that start after it. */
final class ClusterSettings {

    private static final String SOURCE = "schedule";

    private final List<String> addresses;
    private final boolean isOnDatagrams;
    private int seeds;
    private int datagramBytesMax = 1_400;
    private boolean isMulticast;
    private boolean isSecure;
    private Settings node = Settings.of(NodeSettings.ALL).with(TransportSettings.RECORDS_DIRECTORY, "simulated");
    private Settings group = OptionalLayers.settings();

    /** @param size number of nodes, which are called n1, n2 … */
    ClusterSettings(int size, boolean isOnDatagrams) {
        this.addresses = IntStream.rangeClosed(1, size).mapToObj(number -> "n" + number + ":7800").toList();
        this.isOnDatagrams = isOnDatagrams;
        this.seeds = size;
    }

    Settings node() {
        return node;
    }

    Settings group() {
        return group;
    }

    <T> void set(Setting<T> setting, T value) {
        if (group.has(setting.name())) {
            group = group.with(setting, value);
        } else {
            node = node.with(setting, value);
        }
    }

    void set(String name, String text) {
        if (group.has(name)) {
            group = group.with(name, text, Settings.Source.BUILDER, SOURCE);
        } else {
            node = node.with(name, text, Settings.Source.BUILDER, SOURCE);
        }
    }

    /** Gives nodes only the first {@code count} addresses as seeds. */
    void setSeeds(int count) {
        seeds = count;
    }

    /** Sets the length of the largest datagram. */
    void setDatagramBytesMax(int bytesMax) {
        datagramBytesMax = bytesMax;
    }

    /** Lets nodes reach all others with one datagram. */
    void setMulticast() {
        isMulticast = true;
    }

    /** Lets nodes on datagrams authenticate each other and encrypt. */
    void setSecure() {
        isSecure = true;
    }

    /** Returns the settings of one node, with its name and its seeds. */
    Settings ofNode(int number) {
        return node.with(TransportSettings.NAME, "n" + number).with(NodeSettings.SEEDS, seedsOf(number));
    }

    /** Returns all addresses, unless the schedule names fewer; the node then learns the others from its peers. */
    private List<String> seedsOf(int number) {
        List<String> wanted = node.get(NodeSettings.SEEDS);
        if (wanted.equals(SimulatedCluster.NEXT_ONLY)) {
            return List.of(addresses.get(number % addresses.size()));
        }
        return wanted.isEmpty() ? addresses.subList(0, seeds) : wanted;
    }

    boolean isPrimary() {
        return group.get(GroupSettings.PARTITION) == GroupSettings.Partition.PRIMARY;
    }

    private DatagramLimits datagramLimits(int receiveBufferBytes) {
        DatagramLimits limits = DatagramLimits.of(node, datagramBytesMax, receiveBufferBytes, isMulticast);
        return isSecure ? limits.secured() : limits;
    }

    /** Returns the process of a node on datagrams. */
    DatagramProcess onDatagrams(NodeMachine machine, int receiveBufferBytes, long seed, Memory memory) {
        DatagramNode socket =
                new DatagramNode(machine, datagramLimits(receiveBufferBytes), DatagramSecrets.ofSeed(seed), memory);
        return new DatagramProcess(socket, machine, socket::isQuiet);
    }

    PacketSizes packetSizes(int receiveBufferBytes) {
        return isOnDatagrams
                ? PacketSizes.ofDatagrams(datagramLimits(receiveBufferBytes).payloadBytesMax())
                : PacketSizes.STREAM;
    }

    /** Returns the guarantees that a group with these settings gives. */
    static Promise promise(Settings group) {
        boolean isSafe = group.get(GroupSettings.TOTAL_DELIVERY) == GroupSettings.TotalDelivery.SAFE;
        return switch (group.get(GroupSettings.STACK)) {
            case FIFO -> Promise.RELIABLE;
            case CAUSAL -> Promise.CAUSAL;
            case TOTAL -> isSafe ? Promise.SAFE : Promise.TOTAL;
            case UNRELIABLE -> Promise.UNRELIABLE;
        };
    }
}
