package dev.tutti.campaign.relays;

import dev.tutti.campaign.chaos.network.Network;
import dev.tutti.campaign.chaos.network.NetworkFault;
import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Shell;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Namespaces of Linux: a public network with servers and one node, and two private networks with the same addresses, each behind a
 * router that translates addresses and lets nobody in. Needs root, {@code ip} and {@code nft}. Nodes know nothing but the servers.
 */
final class NatNetwork implements Network {

    /** Nodes: three behind one router, two behind the other, one in the public network. */
    static final int NODES = 6;

    static final int SERVERS = 3;
    static final int SERVER_PORT = 7790;

    private static final String PUBLIC = "10.79.0.";
    private static final String PRIVATE = "192.168.1.";
    private static final int FIRST_SERVER = 11;
    private static final int FIRST_ROUTER = 21;
    private static final int PUBLIC_NODE = 31;
    private static final int ROUTERS = 2;
    private static final int FIRST_OF_SECOND = 3;
    private static final int NODE_PORT = 7800;

    private final String base = "tuttinat" + ProcessHandle.current().pid() + "-";
    private NatNetwork() {}

    /**
     * @throws ChaosException if a permission or a command is missing on this machine, with the reason
     */
    static NatNetwork open() {
        if (!"root".equals(System.getProperty("user.name"))) {
            throw new ChaosException("network namespaces need root");
        }
        NatNetwork network = new NatNetwork();
        try {
            network.build();
        } catch (RuntimeException e) {
            network.close();
            throw e;
        }
        return network;
    }

    private void build() {
        bridge("hub");
        for (int server = 0; server < SERVERS; server++) {
            attach("hub", "server" + server, PUBLIC + (FIRST_SERVER + server));
        }
        attach("hub", "node5", PUBLIC + PUBLIC_NODE);
        for (int router = 0; router < ROUTERS; router++) {
            String name = "router" + router;
            attach("hub", name, PUBLIC + (FIRST_ROUTER + router));
            Shell.require("ip", "-n", base + name, "link", "add", "lan", "type", "bridge");
            Shell.require("ip", "-n", base + name, "address", "add", PRIVATE + "1/24", "dev", "lan");
            Shell.require("ip", "-n", base + name, "link", "set", "lan", "up");
            run(name, "sysctl", "-q", "-w", "net.ipv4.ip_forward=1");
            run(name, "nft", "add table ip nat");
            run(name, "nft", "add chain ip nat out { type nat hook postrouting priority 100 ; }");
            run(name, "nft", "add rule ip nat out oifname eth0 masquerade");
            run(name, "nft", "add table ip filter");
            run(name, "nft", "add chain ip filter through { type filter hook forward priority 0 ; }");
            run(name, "nft", "add rule ip filter through iifname eth0 ct state new drop");
        }
        for (int node = 0; node < NODES - 1; node++) {
            String name = "node" + node;
            Shell.require("ip", "netns", "add", base + name);
            link(router(node), "lan", name, PRIVATE + host(node));
            Shell.require("ip", "-n", base + name, "route", "add", "default", "via", PRIVATE + "1");
        }
    }

    private static String router(int node) {
        return "router" + (node < FIRST_OF_SECOND ? 0 : 1);
    }

    /** Returns the last number of a node's address, which nodes behind different routers have, too. */
    private static int host(int node) {
        return 2 + (node < FIRST_OF_SECOND ? node : node - FIRST_OF_SECOND);
    }

    private void bridge(String name) {
        Shell.require("ip", "netns", "add", base + name);
        Shell.require("ip", "-n", base + name, "link", "add", name, "type", "bridge");
        Shell.require("ip", "-n", base + name, "link", "set", name, "up");
    }

    private void attach(String hub, String name, String address) {
        Shell.require("ip", "netns", "add", base + name);
        link(hub, hub, name, address);
    }

    private void link(String hub, String bridge, String name, String address) {
        Shell.require("ip", "-n", base + hub, "link", "add", "to" + name, "type", "veth", "peer", "name", "eth0", "netns", base + name);
        Shell.require("ip", "-n", base + hub, "link", "set", "to" + name, "master", bridge, "up");
        Shell.require("ip", "-n", base + name, "link", "set", "lo", "up");
        Shell.require("ip", "-n", base + name, "address", "add", address + "/24", "dev", "eth0");
        Shell.require("ip", "-n", base + name, "link", "set", "eth0", "up");
    }

    private void run(String name, String... command) {
        List<String> words = new ArrayList<>(List.of("ip", "netns", "exec", base + name));
        words.addAll(List.of(command));
        Shell.require(words.toArray(String[]::new));
    }

    // ------------------------------------------------------------------ servers

    static String serverHost(int server) {
        return PUBLIC + (FIRST_SERVER + server);
    }

    /** Returns the words before the command that starts a server. */
    List<String> serverPrefix(int server) {
        return List.of("ip", "netns", "exec", base + "server" + server);
    }

    // ------------------------------------------------------------------ nodes

    @Override
    public String description() {
        return "two routers that translate addresses";
    }

    @Override
    public Set<NetworkFault> faults() {
        return Set.of();
    }

    @Override
    public List<String> prefix(int process) {
        return List.of("ip", "netns", "exec", base + "node" + process);
    }

    @Override
    public Map<String, String> settings(int process) {
        TreeMap<String, String> all = new TreeMap<>();
        all.put("bind.address", process == NODES - 1 ? PUBLIC + PUBLIC_NODE : PRIVATE + host(process));
        all.put("bind.port", Integer.toString(NODE_PORT));
        all.put("security.secret", "q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0Gj");
        all.put(
                "rendezvous.servers",
                IntStream.range(0, SERVERS)
                        .mapToObj(server -> "tcp://" + serverHost(server) + ":" + SERVER_PORT)
                        .collect(Collectors.joining(",")));
        return all;
    }

    /** Returns nothing: nodes are told no address. */
    @Override
    public String address(int process) {
        return "";
    }

    @Override
    public void lose(Map<Path, Double> losses) {
        throw unsupported();
    }

    @Override
    public void reset(int one, int other) {
        throw unsupported();
    }

    @Override
    public void halfOpen(int one, int other) {
        throw unsupported();
    }

    @Override
    public void slow(int process, boolean isSlow) {
        throw unsupported();
    }

    @Override
    public void corrupt(int from, int to) {
        throw unsupported();
    }

    private static UnsupportedOperationException unsupported() {
        return new UnsupportedOperationException("this network has no faults but those of servers");
    }

    @Override
    public void heal() {
        // There is nothing to heal.
    }

    /** Removes the namespaces, and with them their interfaces. */
    @Override
    public void close() {
        IntStream.range(0, NODES).forEach(node -> remove("node" + node));
        IntStream.range(0, ROUTERS).forEach(router -> remove("router" + router));
        IntStream.range(0, SERVERS).forEach(server -> remove("server" + server));
        remove("hub");
    }

    private void remove(String name) {
        Shell.run(List.of("ip", "netns", "delete", base + name));
    }
}
