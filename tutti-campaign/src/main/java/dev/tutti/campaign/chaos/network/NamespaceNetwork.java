package dev.tutti.campaign.chaos.network;

import dev.tutti.campaign.host.ChaosException;
import dev.tutti.campaign.host.Shell;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A network namespace of Linux for each process, and one for the bridge between them. Needs root, {@code ip} and {@code
 * tc}.
 *
 * <p>It works only inside namespaces that it creates, whose names begin with {@code tutti} and its own process number.
 * The host's interfaces, addresses, routes and filters are not touched. Namespaces of commands that have ended are
 * removed first.
 *
 * <p>Packets are lost on the way out of the bridge ({@link LossProgram}), so that neither the sender nor the receiver
 * is told.
 */
public final class NamespaceNetwork implements Network {

    private static final String PREFIX = "tutti";
    private static final int PORT = 7800;

    /** Prefix of the addresses, 10.78.0.0/24; used only inside the namespaces. */
    private static final String SUBNET = "10.78.0.";

    private static final int SUBNET_NUMBER = 10 << 24 | 78 << 16;

    private final int processes;
    private final String base;
    private final boolean isEncrypted;
    private final boolean canReset;
    private final List<Map<Integer, Double>> lossesTo = new ArrayList<>();
    private final boolean[] isSlow;

    private NamespaceNetwork(int processes, String base, boolean isEncrypted) {
        this.processes = processes;
        this.base = base;
        this.isEncrypted = isEncrypted;
        this.isSlow = new boolean[processes];
        for (int process = 0; process < processes; process++) {
            lossesTo.add(new TreeMap<>());
        }
        removeLeftOvers();
        try {
            build();
            this.canReset = canReset();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * @throws ChaosException if a permission or a command is missing on this machine, with the reason
     */
    public static NamespaceNetwork open(int processes, boolean isEncrypted) {
        if (!"root".equals(System.getProperty("user.name"))) {
            throw new ChaosException("network namespaces need root");
        }
        return new NamespaceNetwork(processes, PREFIX + ProcessHandle.current().pid() + "-", isEncrypted);
    }

    private static void removeLeftOvers() {
        Shell.Result list = Shell.run(List.of("ip", "netns", "list"));
        for (String line : list.text().split("\n")) {
            String name = line.split(" ")[0];
            int dash = name.indexOf('-');
            if (name.startsWith(PREFIX) && dash > PREFIX.length()) {
                String owner = name.substring(PREFIX.length(), dash);
                if (owner.chars().allMatch(Character::isDigit)
                        && ProcessHandle.of(Long.parseLong(owner)).isEmpty()) {
                    remove(name);
                }
            }
        }
    }

    /** Removes a namespace with its processes: a stopped one does not notice the end of the command that started it. */
    private static void remove(String space) {
        for (String pid : Shell.run(List.of("ip", "netns", "pids", space)).text().split("\\s+")) {
            if (!pid.isEmpty() && pid.chars().allMatch(Character::isDigit)) {
                ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
            }
        }
        Shell.run(List.of("ip", "netns", "delete", space));
    }

    private String hub() {
        return base + "hub";
    }

    private String space(int process) {
        return base + process;
    }

    /** Returns the prefix of the names of all its namespaces. */
    public String base() {
        return base;
    }

    /** Returns the words before a command that runs in the namespace of a process, of this or another program. */
    public static List<String> prefix(String base, int process) {
        return List.of("ip", "netns", "exec", base + process);
    }

    /** Returns the IPv4 address of a process. */
    public static String host(int process) {
        return SUBNET + (process + 1);
    }

    private static String port(int process) {
        return "to" + process;
    }

    private static int number(int process) {
        return SUBNET_NUMBER | (process + 1);
    }

    private void build() {
        Shell.require("ip", "netns", "add", hub());
        Shell.require("ip", "-n", hub(), "link", "add", "hub", "type", "bridge");
        Shell.require("ip", "-n", hub(), "link", "set", "hub", "up");
        for (int process = 0; process < processes; process++) {
            String space = space(process);
            String port = port(process);
            Shell.require("ip", "netns", "add", space);
            Shell.require("ip", "-n", hub(), "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", space);
            Shell.require("ip", "-n", hub(), "link", "set", port, "master", "hub", "up");
            Shell.require("ip", "-n", space, "link", "set", "lo", "up");
            Shell.require("ip", "-n", space, "address", "add", host(process) + "/24", "dev", "eth0");
            Shell.require("ip", "-n", space, "link", "set", "eth0", "up");
            Shell.require("ip", "-n", space, "route", "add", "224.0.0.0/4", "dev", "eth0");
            Shell.require("tc", "-n", hub(), "qdisc", "add", "dev", port, "clsact");
            install(process, Map.of(number(process), 1.0));
            install(process, Map.of());
        }
    }

    /** Reports whether the kernel supports {@code ss -K}, which is optional. */
    private boolean canReset() {
        return Shell.run(List.of("ip", "netns", "exec", space(0), "ss", "-K", "dst", SUBNET + "250")).code() == 0;
    }

    @Override
    public String description() {
        return "network namespaces";
    }

    @Override
    public Set<NetworkFault> faults() {
        Set<NetworkFault> faults = EnumSet.of(
                NetworkFault.CUT, NetworkFault.ISOLATE, NetworkFault.ONE_WAY, NetworkFault.BRIDGE, NetworkFault.FLAP, NetworkFault.LOSS, NetworkFault.SLOW, NetworkFault.STORM);
        if (canReset) {
            faults.add(NetworkFault.RESET);
            faults.add(NetworkFault.HALF_OPEN);
        }
        return faults;
    }

    @Override
    public List<String> prefix(int process) {
        return prefix(base, process);
    }

    @Override
    public Map<String, String> settings(int process) {
        Map<String, String> settings = new TreeMap<>();
        settings.put("bind.address", host(process));
        settings.put("bind.port", Integer.toString(PORT));
        if (isEncrypted) {
            settings.put("security.secret", "q7Rk2-Vd9Zp4_Xm1Tb8Ys6Lf3Hn5Wc0Gj");
        } else {
            settings.put("security.insecure", "true");
        }
        return settings;
    }

    @Override
    public String address(int process) {
        return host(process) + ":" + PORT;
    }

    // ------------------------------------------------------------------ faults

    @Override
    public void lose(Map<Path, Double> losses) {
        boolean[] isChanged = new boolean[processes];
        losses.forEach((path, loss) -> {
            Map<Integer, Double> to = lossesTo.get(path.to());
            Double before = loss == 0 ? to.remove(number(path.from())) : to.put(number(path.from()), loss);
            isChanged[path.to()] |= before == null ? loss != 0 : !before.equals(loss);
        });
        for (int process = 0; process < processes; process++) {
            if (isChanged[process]) {
                install(process, lossesTo.get(process));
            }
        }
    }

    private void install(int process, Map<Integer, Double> losses) {
        // One filter with a fixed handle, so that replacing it is atomic.
        Shell.require(
                "tc", "-n", hub(), "filter", "replace", "dev", port(process), "egress", "prio", "1", "handle", "1", "bpf",
                "da", "bytecode", LossProgram.of(losses));
    }

    @Override
    public void reset(int one, int other) {
        kill(one, other);
    }

    /** Destroys the sockets of {@code at} that lead to {@code peer}; the kernel sends a reset for each. */
    private void kill(int at, int peer) {
        Shell.run(List.of("ip", "netns", "exec", space(at), "ss", "-K", "-t", "dst", host(peer)));
    }

    @Override
    public void halfOpen(int one, int other) {
        // The reset is lost on the way.
        Map<Integer, Double> before = new TreeMap<>(lossesTo.get(other));
        Map<Integer, Double> meanwhile = new TreeMap<>(before);
        meanwhile.put(number(one), 1.0);
        install(other, meanwhile);
        kill(one, other);
        install(other, before);
    }

    @Override
    public void slow(int process, boolean slow) {
        if (isSlow[process] == slow) {
            return;
        }
        isSlow[process] = slow;
        for (List<String> end : List.of(List.of(hub(), port(process)), List.of(space(process), "eth0"))) {
            if (slow) {
                Shell.require(
                        "tc", "-n", end.get(0), "qdisc", "add", "dev", end.get(1), "root", "tbf", "rate", "1mbit", "burst",
                        "16kb", "latency", "300ms");
            } else {
                Shell.require("tc", "-n", end.get(0), "qdisc", "delete", "dev", end.get(1), "root");
            }
        }
    }

    @Override
    public void corrupt(int from, int to) {
        throw new UnsupportedOperationException("TCP would find it and send again");
    }

    @Override
    public void heal() {
        for (int process = 0; process < processes; process++) {
            if (!lossesTo.get(process).isEmpty()) {
                lossesTo.get(process).clear();
                install(process, Map.of());
            }
            slow(process, false);
        }
    }

    /** Removes the namespaces, and with them their interfaces. */
    @Override
    public void close() {
        for (int process = 0; process < processes; process++) {
            remove(space(process));
        }
        remove(hub());
    }
}
