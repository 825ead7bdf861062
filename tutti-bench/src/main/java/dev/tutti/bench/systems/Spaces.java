package dev.tutti.bench.systems;

import dev.tutti.bench.BenchException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Network namespaces on one bridge, each with a network card of its own of a given rate in both directions. Needs root and the
 * programs {@code ip} and {@code tc} of Linux.
 */
public final class Spaces implements AutoCloseable {

    private static final String NET = "10.99.77.";
    private static final int SECONDS_MAX = 20;

    private final List<String> names = new ArrayList<>();
    private final String base = "tutti-bench-" + ProcessHandle.current().pid();
    private final int count;

    /**
     * @param rate as {@code tc} writes it, such as {@code 1gbit}; empty for cards as fast as the machine
     * @param congestion the kernel's name for TCP's congestion control, such as {@code cubic}
     */
    public Spaces(int count, String rate, String congestion) {
        this.count = count;
        try {
            String hub = add("hub");
            run("ip", "-n", hub, "link", "add", "hub", "type", "bridge");
            run("ip", "-n", hub, "link", "set", "hub", "up");
            for (int index = 0; index < count; index++) {
                String space = add(Integer.toString(index));
                String port = "to" + index;
                run("ip", "-n", hub, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", space);
                run("ip", "-n", hub, "link", "set", port, "master", "hub", "up");
                run("ip", "netns", "exec", space, "sysctl", "-qw", "net.ipv4.tcp_congestion_control=" + congestion);
                run("ip", "-n", space, "link", "set", "lo", "up");
                run("ip", "-n", space, "address", "add", NET + (index + 1) + "/24", "dev", "eth0");
                run("ip", "-n", space, "link", "set", "eth0", "up");
                limit(space, "eth0", rate);
                limit(hub, port, rate);
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private String add(String suffix) {
        String name = base + "-" + suffix;
        run("ip", "netns", "add", name);
        names.add(name);
        return name;
    }

    private static void limit(String space, String device, String rate) {
        if (rate.isEmpty()) {
            return;
        }
        run("tc", "-n", space, "qdisc", "add", "dev", device, "root", "tbf", "rate", rate, "burst", "256kb", "latency", "20ms");
    }

    /** Returns the names of the members' namespaces, by rank. */
    public List<String> names() {
        return names.subList(1, names.size());
    }

    /** Returns the addresses of the members, by rank. */
    public List<String> addresses() {
        return IntStream.rangeClosed(1, count).mapToObj(number -> NET + number).toList();
    }

    /** Returns the option for the JVMs of members. */
    public String option() {
        return Addresses.option(addresses());
    }

    @Override
    public void close() {
        names.reversed().forEach(name -> run("ip", "netns", "delete", name));
        names.clear();
    }

    private static void run(String... command) {
        String line = String.join(" ", command);
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new BenchException("no end after " + SECONDS_MAX + " s: " + line);
            }
            if (process.exitValue() != 0) {
                throw new BenchException(line + ": " + said + " (network namespaces need root, and ip and tc)");
            }
        } catch (IOException e) {
            throw new BenchException(line + ": " + e.getMessage() + " (network namespaces need root, and ip and tc)", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted: " + line, e);
        }
    }
}
