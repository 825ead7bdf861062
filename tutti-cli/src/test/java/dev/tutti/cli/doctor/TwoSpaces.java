package dev.tutti.cli.doctor;

import dev.tutti.testing.SharedClasses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two network namespaces with a cable between them, in which things can be broken: {@code here}, 10.79.0.1/24, and {@code there},
 * 10.79.0.200/24. Needs root, {@code ip} and {@code tc}; nothing of the host is touched.
 */
final class TwoSpaces implements AutoCloseable {

    static final String HERE = "10.79.0.1";
    static final String THERE = "10.79.0.200";

    /** Instruction of classic BPF that makes tc drop the packet; the next one lets it pass. */
    private static final String DROP = "6 0 0 2";

    private static final String PASS = "6 0 0 4294967295";

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String name = "tuttidoctor" + ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet();
    private final String here = name + "-here";
    private final String there = name + "-there";

    TwoSpaces() {
        try {
            require("ip", "netns", "add", here);
            require("ip", "netns", "add", there);
            require("ip", "-n", here, "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", there);
            for (String space : List.of(here, there)) {
                require("ip", "-n", space, "link", "set", "lo", "up");
                require("ip", "-n", space, "link", "set", "eth0", "up");
            }
            require("ip", "-n", here, "address", "add", HERE + "/24", "dev", "eth0");
            require("ip", "-n", there, "address", "add", THERE + "/24", "dev", "eth0");
            require("tc", "-n", here, "qdisc", "add", "dev", "eth0", "clsact");
            dropLongerThan(65_535);
        } catch (IllegalStateException e) {
            close();
            throw e;
        }
    }

    List<String> prefixHere() {
        return List.of("ip", "netns", "exec", here);
    }

    List<String> prefixThere() {
        return List.of("ip", "netns", "exec", there);
    }

    /** Drops outgoing TCP packets to a port silently. */
    void dropTo(int port) {
        // EtherType is IPv4, protocol is TCP, the port (of a header without options).
        install("40 0 0 12", "21 0 5 2048", "48 0 0 23", "21 0 3 6", "40 0 0 36", "21 0 1 " + port, DROP, PASS);
    }

    /** Drops outgoing packets with more bytes silently; the Ethernet header counts. */
    void dropLongerThan(int bytes) {
        install("128 0 0 0", "37 0 1 " + bytes, DROP, PASS);
    }

    private void install(String... program) {
        require(
                "tc", "-n", here, "filter", "replace", "dev", "eth0", "egress", "prio", "1", "handle", "1", "bpf", "da", "bytecode",
                program.length + "," + String.join(",", program));
    }

    void maskHere(int length) {
        require("ip", "-n", here, "address", "flush", "dev", "eth0");
        require("ip", "-n", here, "address", "add", HERE + "/" + length, "dev", "eth0");
    }

    void routeMulticasts() {
        require("ip", "-n", here, "route", "add", "224.0.0.0/4", "dev", "eth0");
    }

    private static void require(String... command) {
        String text = run(command);
        if (!text.isEmpty()) {
            throw new IllegalStateException("'" + String.join(" ", command) + "' has failed: " + text);
        }
    }

    /** Runs a command and returns its failure with its output; empty if it succeeded. */
    private static String run(String... command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return "it does not end";
            }
            return process.exitValue() == 0 ? "" : "exit code " + process.exitValue() + ", " + text;
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    @Override
    public void close() {
        run("ip", "netns", "delete", here);
        run("ip", "netns", "delete", there);
    }

    /** Returns the command line of a JVM with a main class of this module or its tests. */
    static List<String> java(String main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                SharedClasses.classPath(),
                main));
        command.addAll(1, SharedClasses.options("dev.tutti.cli.Tutti", "rehearse"));
        command.addAll(List.of(arguments));
        return command;
    }
}
