package dev.tutti.bench.papers;

import dev.tutti.bench.papers.Experiment.Needs;
import dev.tutti.bench.papers.Experiment.Profile;
import dev.tutti.bench.papers.Figure.Reading;
import dev.tutti.bench.papers.Figure.Source;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The experiments of the papers, in the order in which they run. */
public final class Papers {

    /** Repetition of a load that is only to be seen. */
    private static final String BRIEF = " --repetitions 1 --warmup 1s --time 1s";

    private static final List<String> TCP = List.of("tutti", "jgroups", "limit");
    private static final List<String> MULTICAST = List.of("tutti-udp", "jgroups-udp", "");
    private static final List<String> GRID = List.of("direct", "", "socket");

    /** All experiments. */
    public static final List<Experiment> ALL = List.of(
            new Experiment(
                    "one-to-n",
                    "one-to-n",
                    Needs.NOTHING,
                    arguments("--size 1kB,1MB --members 4" + BRIEF, ""),
                    durations(30, 8 * 3600),
                    List.of(
                            figure("1 sender, 4 members, 1 kB: messages/s", "", source(Paper.REPORT, "1-n"), TCP, Results.rate("1-n", 4, 1000, 1)),
                            figure("1 sender, 4 members, 1 MB: MB/s", "", source(Paper.REPORT, "1-n"), TCP, Results.rate("1-n", 4, 1_000_000, 1)))),
            new Experiment(
                    "n-to-n",
                    "n-to-n",
                    Needs.NOTHING,
                    arguments("--size 100B,10kB --members 2,8 --systems tutti,jgroups" + BRIEF, ""),
                    durations(50, 8 * 3600),
                    List.of(
                            figure("fall of a sender's rate with members (2 to 16), 100 B", "4.6", source(Paper.REPORT, "n-n over TCP, below 1 kB"),
                                    TCP, Results.fall(100)),
                            figure("fall of a sender's rate with members (2 to 16), 10 kB", "6.1", source(Paper.REPORT, "n-n over TCP, from 10 kB on"), TCP, Results.fall(10_000)))),
            new Experiment(
                    "transports",
                    "transports",
                    Needs.NOTHING,
                    arguments("--pattern n-n --size 1kB --members 2,8 --systems tutti,tutti-ring,tutti-udp,jgroups-udp" + BRIEF,
                            "--size 1kB,10kB --repetitions 3"),
                    durations(60, 5 * 3600),
                    List.of(
                            figure("UDP, 2 members, 1 kB: messages/s of a sender", "104", source(Paper.REPORT, "n-n over UDP"), MULTICAST,
                                    Results.rate("n-n", 2, 1000, 1 / 2.0)),
                            figure("UDP, 8 members, 1 kB: messages/s of a sender", "", source(Paper.REPORT, "n-n over UDP"), MULTICAST,
                                    Results.rate("n-n", 8, 1000, 1 / 8.0)),
                            figure("UDP, 16 members, 1 kB: messages/s of a sender", "1.2", source(Paper.REPORT, "n-n over UDP"), MULTICAST,
                                    Results.rate("n-n", 16, 1000, 1 / 16.0)),
                            figure("UDP: fall of a sender's rate with members (2 to 16), 1 kB", "91", source(Paper.REPORT, "n-n over UDP"),
                                    MULTICAST, Results.fall(1000)),
                            figure("TCP: fall of a sender's rate with members (2 to 16), 1 kB", "4.6 to 6.1", source(Paper.REPORT, "n-n over TCP"),
                                    TCP, Results.fall(1000)),
                            figure("ring: fall of a sender's rate with members (2 to 16), 1 kB", "", source(Paper.TOOLKIT, "daisy chaining"),
                                    List.of("tutti-ring", "", ""), Results.fall(1000)),
                            figure("TCP, 16 members, 1 kB: kB/s of a sender", "104", source(Paper.REPORT, "n-n over TCP"), TCP,
                                    Results.rate("n-n", 16, 1000, 1 / 16.0)),
                            figure("UDP, 4 members, 1 kB: rate without flow control, of that with it", "no help", source(Paper.REPORT, "flow control"),
                                    List.of("", "jgroups-udp", ""), Results.without("-uncontrolled", 4, 1000)))),
            new Experiment(
                    "bundling",
                    "throughput",
                    Needs.NOTHING,
                    arguments("--pattern n-n --size 1000B --members 4 --systems tutti,jgroups" + BRIEF,
                            "--pattern n-n --size 1000B --members 4,8 --repetitions 3 --warmup 40s"),
                    durations(16, 1500),
                    List.of(
                            figure("4 members send 1,000 B: messages/s at a member", "137,000", source(Paper.TOOLKIT, "message bundling"), TCP,
                                    Results.rate("n-n", 4, 1000, 1)),
                            figure("8 members send 1,000 B: messages/s at a member", "78,000", source(Paper.TOOLKIT, "message bundling"), TCP,
                                    Results.rate("n-n", 8, 1000, 1)))),
            new Experiment(
                    "scaling",
                    "scaling",
                    Needs.NOTHING,
                    arguments("--members 2,8 --systems tutti,jgroups" + BRIEF, "--members 2,3,4,6,8,12,16,23,45 --repetitions 3"),
                    durations(35, 2 * 3600),
                    List.of(figure("most members (12, 23, 45) that all send 1 KiB: messages/s (members)", "", source(Paper.NETTY, "multicast test"), TCP,
                            Results.most("n-n")))),
            new Experiment(
                    "threads",
                    "threads",
                    Needs.NOTHING,
                    arguments("--threads 1,16" + BRIEF, ""),
                    durations(22, 6000),
                    List.of(figure("4 members: rate with the most sending threads, of that with one", "", source(Paper.NONE, ""),
                            TCP, Results.threads()))),
            new Experiment(
                    "memory",
                    "memory",
                    Needs.NOTHING,
                    arguments("--members 4 --size 1MiB" + BRIEF, ""),
                    durations(12, 900),
                    List.of(figure("loads delivered with a heap of 64 MB", "out of memory when overwhelmed", source(Paper.REPORT, "memory"),
                            List.of("tutti", "", ""), Results.delivered()))),
            new Experiment(
                    "large",
                    "large",
                    Needs.NOTHING,
                    arguments("--counts 1,10 --time 20s", ""),
                    durations(45, 600),
                    List.of(
                            figure("10 MB messages of one sender at which memory runs out, heap of 64 MB", "only 10 could be sent",
                                    source(Paper.REPORT, "memory, 1-n"), List.of("tutti", "jgroups", ""), Results.large("1-n")),
                            figure("10 MB messages of each of 4 senders at which memory runs out, heap of 64 MB", "only 1 could be sent", source(Paper.REPORT, "memory, n-n"),
                                    List.of("tutti", "jgroups", ""), Results.large("n-n")))),
            new Experiment(
                    "ring",
                    "ring",
                    Needs.ROOT,
                    arguments("--members 4 --size 8kB --patterns n-n" + BRIEF, "--size 8kB"),
                    durations(15, 1800),
                    List.of(
                            figure("ring, 4 members, 8 kB, cards of 1 Gbit/s: MB/s at a member", "107", source(Paper.TOOLKIT, "daisy chaining"),
                                    List.of("tutti-ring", "", ""), Results.card("1gbit", "n-n", 4)),
                            figure("fan-out, 4 members, 8 kB, cards of 1 Gbit/s: MB/s at a member", "73", source(Paper.TOOLKIT, "daisy chaining"), List.of("tutti", "", ""),
                                    Results.card("1gbit", "n-n", 4)))),
            new Experiment(
                    "links",
                    "links",
                    Needs.ROOT,
                    arguments("--link 100mbit,1gbit --patterns n-n --systems tutti,jgroups,limit" + BRIEF, ""),
                    durations(50, 2 * 3600),
                    List.of(
                            figure("n-n, 4 members, cards of 100 Mbit/s: share of the card", "", source(Paper.REPORT, "Fast Ethernet"), TCP,
                                    Results.share("100mbit", "n-n")),
                            figure("n-n, 4 members, cards of 1 Gbit/s: share of the card", "", source(Paper.REPORT, "Gigabit Ethernet"), TCP,
                                    Results.share("1gbit", "n-n")),
                            figure("1-n, 4 members, cards of 1 Gbit/s: share of the card", "", source(Paper.REPORT, "Gigabit Ethernet"), TCP,
                                    Results.share("1gbit", "1-n")),
                            figure("n-n, 4 members, cards as fast as the machine: MB/s at a member", "", source(Paper.REPORT, "networks"), TCP,
                                    Results.card("none", "n-n", 4)))),
            new Experiment(
                    "rpc",
                    "rpc",
                    Needs.NOTHING,
                    arguments("--members 4 --threads 25 --systems tutti,jgroups-tuned" + BRIEF, "--members 4,8"),
                    durations(16, 1800),
                    List.of(
                            figure("4 members, 25 threads, 1 kB, 80 % reads: requests/s of a node", "5,700 and 10,900", source(Paper.TOOLKIT, "RPC"),
                                    List.of("tutti", "jgroups-tuned", "limit"), Results.requests(4, 25, 1000)),
                            figure("8 members, 25 threads, 1 kB, 80 % reads: requests/s of a node", "4,300 and 10,900", source(Paper.TOOLKIT, "RPC"),
                                    List.of("tutti", "jgroups-tuned", "limit"), Results.requests(8, 25, 1000)))),
            new Experiment(
                    "rpc-grid",
                    "rpc",
                    Needs.NOTHING,
                    arguments("--members 12 --size 1kB --threads 25 --systems tutti,jgroups-tuned" + BRIEF,
                            "--members 12,23,45 --size 1kB,10kB,100kB,1MB --threads 25,200,500 --systems tutti,jgroups-tuned --repetitions 1"),
                    durations(40, 3 * 3600),
                    List.of(
                            figure("25 threads, least and most over members and sizes: requests, of those of JGroups", "1.05 to 1.63",
                                    source(Paper.NETTY, "few threads, of blocking TCP"), List.of("tutti", "", ""),
                                    Results.requestRatio("jgroups-tuned", 1, 199)),
                            figure("200 and 500 threads, least and most over members and sizes: requests, of those of JGroups", "from 0.85 on", source(Paper.NETTY, "many threads, of blocking TCP"),
                                    List.of("tutti", "", ""), Results.requestRatio("jgroups-tuned", 200, 500)))),
            new Experiment(
                    "latency",
                    "latency",
                    Needs.THIS_MACHINE,
                    arguments("--rate 1000 --systems tutti,jgroups-tuned,limit --repetitions 1 --warmup 4s --time 2s", ""),
                    durations(25, 1500),
                    List.of(figure("1,000 multicasts/s to 4 members: p99 of the one-way time, ms", "", source(Paper.NONE, ""),
                            List.of("tutti", "jgroups-tuned", "limit"), Results.millis("p99", "rate", 1000)))),
            new Experiment(
                    "pingpong",
                    "pingpong",
                    Needs.NOTHING,
                    arguments("--size 64B,100KiB --place any --systems tutti,jgroups-tuned,limit-pair" + BRIEF, ""),
                    durations(22, 2400),
                    List.of(figure("round trip of 64 B between members, median, ms", "", source(Paper.NONE, ""),
                            List.of("tutti", "jgroups-tuned", "limit-pair"), Results.millis("median", "bytes", 64)))),
            new Experiment(
                    "grid",
                    "perf grid",
                    Needs.THIS_MACHINE,
                    arguments("--size 1KiB,512KiB --producers 0" + BRIEF, ""),
                    durations(50, 600),
                    List.of(
                            figure("round trip of 1 KiB: ms more than over a bare socket", "1.2", source(Paper.MONITORING, "ping-pong, LAN"),
                                    List.of("direct", "", ""), Results.pathMore("socket", 1024)),
                            figure("bandwidth with 512 KiB, of that of a bare socket", "95 %", source(Paper.MONITORING, "ping-pong, LAN"), GRID,
                                    Results.pathShare("socket", 512 << 10)),
                            figure("bandwidth with 512 KiB through a mediator, of that of a bare socket", "27 % over HTTP", source(Paper.MONITORING, "ping-pong, WAN"),
                                    List.of("mediator", "", ""), Results.pathShare("socket", 512 << 10)),
                            figure("round trip of 1 KiB with a socket for each message: ms more than with one", "0.2",
                                    source(Paper.MONITORING, "a socket for each message"), List.of("", "", "socket-each"),
                                    Results.pathMore("socket", 1024)))),
            new Experiment(
                    "match",
                    "perf match",
                    Needs.THIS_MACHINE,
                    arguments("--mixes exact,selectors" + BRIEF, ""),
                    durations(15, 240),
                    List.of(figure("measurements/s matched with 100,000 selectors by one thread", "", source(Paper.MONITORING, "registry"),
                            List.of("tutti", "", ""), Results.at(1, "selectors", "*", "matches-per-second", "median")))),
            new Experiment(
                    "startup",
                    "startup",
                    Needs.NOTHING,
                    arguments("--repetitions 1", ""),
                    durations(22, 180),
                    List.of(
                            figure("4 processes started at once, until the view of all: s", "3 to 5 for a join", source(Paper.REPORT, "join timeout"),
                                    List.of("tutti", "jgroups", ""), Results.at(1e-3, "millis", "* all at once", "median")),
                            figure("4 processes started one after the other, until the view of all: s", "", source(Paper.REPORT, "join timeout"), List.of("tutti", "jgroups", ""),
                                    Results.at(1e-3, "millis", "* one by one", "median")))),
            new Experiment(
                    "groups",
                    "groups",
                    Needs.NOTHING,
                    arguments("--count 100", ""),
                    durations(18, 60),
                    List.of(figure("threads of further groups (100, full 1,000; of JGroups 20 channels)", "28 + N for each channel",
                            source(Paper.TOOLKIT, "light channels"), List.of("tutti", "jgroups", ""), Results.at(1, "systems", "*", "threads-added")))),
            new Experiment(
                    "relay",
                    "perf relay",
                    Needs.THIS_MACHINE,
                    arguments("--pairs 1 --ways raw --seconds 1 --repetitions 1", ""),
                    durations(8, 150),
                    List.of(figure("one pair through a relay: MiB/s (right: HAProxy)", "", source(Paper.TOOLKIT, "rendezvous servers"),
                            List.of("raw 1", "", "haproxy 1"), Results.at(1, "mib-per-second", "*", "median")))),
            new Experiment(
                    "balance",
                    "perf balance",
                    Needs.THIS_MACHINE,
                    arguments("--seconds 1 --repetitions 1", ""),
                    durations(12, 90),
                    List.of(figure("requests/s through the balancer (right: HAProxy)", "", source(Paper.STUDY, "balancer"),
                            List.of("tutti balance", "", "HAProxy"), Results.at(1, "*", "requests-per-second")))),
            elsewhere("study", "study", List.of(
                    elsewhere("means of 2,020 requests in six configurations: ms", "1,925, 93, 79, 44, 55, 124", source(Paper.STUDY, "response times")))),
            elsewhere("sessions", "study sessions", List.of(
                    elsewhere("8 nodes, TCP: updates/s and requests/s of a node", "150.7 and 1,004", source(Paper.REPORT, "HTTP sessions of Tomcat")),
                    elsewhere("8 nodes, UDP: updates/s and requests/s of a node", "3.3 and 22", source(Paper.REPORT, "HTTP sessions of Tomcat")))));

    private Papers() {}

    private static Experiment elsewhere(String name, String command, List<Figure> figures) {
        return new Experiment(name, command, Needs.ANOTHER_COMMAND, Map.of(), Map.of(), figures);
    }

    private static Figure elsewhere(String what, String theirs, Source source) {
        return figure(what, theirs, source, List.of("", "", ""), (results, system) -> "");
    }

    private static Figure figure(String what, String theirs, Source source, List<String> systems, Reading reading) {
        return new Figure(what, theirs, source, systems, reading);
    }

    private static Source source(Paper paper, String part) {
        return new Source(paper, part);
    }

    private static Map<Profile, List<String>> arguments(String ci, String full) {
        return Map.of(Profile.CI, words(ci), Profile.FULL, words(full));
    }

    private static List<String> words(String text) {
        return text.isBlank() ? List.of() : List.of(text.strip().split(" "));
    }

    private static Map<Profile, Duration> durations(long ciSeconds, long fullSeconds) {
        return Map.of(Profile.CI, Duration.ofSeconds(ciSeconds), Profile.FULL, Duration.ofSeconds(fullSeconds));
    }
}
