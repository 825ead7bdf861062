package dev.tutti.campaign.sites.kills;

import dev.tutti.Node;
import dev.tutti.SendException;
import dev.tutti.campaign.host.Pause;
import dev.tutti.sites.Site;
import dev.tutti.sites.SiteGroup;
import dev.tutti.sites.SiteMessage;
import dev.tutti.sites.Sites;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Main class of a process at a site: sends numbered messages to all sites, checks the order of what it delivers, and tells the
 * coordinator of the run on the standard output ({@link SiteChild} reads it). It ends with its input.
 */
public final class SitesProcess {

    /** Mark at the beginning of lines for the coordinator, because libraries print too. */
    static final String MARK = "#sites ";

    private static final String GROUP = "numbers";
    private static final long REPORT_MILLIS = 250;
    private static final long HEAP_SECONDS = 20;
    private static final int FAULTS_TOLD_MAX = 100;

    private final int id;
    private final int messageBytes;
    private final long intervalNanos;

    // Guarded by the monitor of received.
    private final TreeMap<Integer, Numbers> received = new TreeMap<>();
    private final TreeMap<Integer, Long> reported = new TreeMap<>();
    private int faultsTold;

    private volatile long accepted;
    private volatile boolean isSending;

    private SitesProcess(int id, int messageBytes, long intervalNanos) {
        this.id = id;
        this.messageBytes = messageBytes;
        this.intervalNanos = intervalNanos;
    }

    /**
     * Takes the number of the process, the site, the other sites, the node's port, the seeds of its site, the bridge's port, its
     * advertised address and its seeds, the length of messages and the nanoseconds between them.
     */
    public static void main(String[] arguments) throws IOException {
        SitesProcess process = new SitesProcess(
                Integer.parseInt(arguments[0]), Integer.parseInt(arguments[8]), Long.parseLong(arguments[9]));
        int code;
        try {
            code = process.run(List.of(arguments));
        } catch (RuntimeException e) {
            e.printStackTrace();
            say("failed " + e);
            code = 1;
        }
        // No other thread keeps the process alive when the coordinator of the run has gone.
        System.exit(code);
    }

    private int run(List<String> arguments) throws IOException {
        String site = arguments.get(1);
        Node node = Node.tcp(Integer.parseInt(arguments.get(3)))
                .set("bind.address", "127.0.0.1")
                .name("n" + id)
                .cluster("site-" + site)
                .seeds(arguments.get(4).split(","))
                .start();
        Sites sites = Sites.on(node)
                .site(site)
                .bridge(() -> Node.udp(Integer.parseInt(arguments.get(5)))
                        .set("bind.address", "127.0.0.1")
                        .set("bind.advertise", arguments.get(6))
                        .cluster("bridge")
                        .seeds(arguments.get(7).split(",")))
                .open();
        SiteGroup group = sites.group(GROUP)
                .expect(arguments.get(2).split(","))
                .onMessage(this::onMessage)
                .onGap(gap -> say("found gap " + gap))
                .join();
        say("joined");
        Thread.ofPlatform().daemon().name("sender").start(() -> send(group));
        Thread.ofPlatform().daemon().name("reporter").start(() -> report(sites, group));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            isSending = line.equals("send");
        }
        return 0;
    }

    private static void say(String line) {
        synchronized (System.out) {
            System.out.println(MARK + line);
            System.out.flush();
        }
    }

    private void onMessage(SiteMessage message) {
        ByteBuffer content = ByteBuffer.wrap(message.bytes());
        int sender = content.getInt();
        long number = content.getLong();
        synchronized (received) {
            Numbers numbers = received.computeIfAbsent(sender, one -> new Numbers());
            long before = numbers.last();
            Numbers.Fault fault = numbers.add(number);
            if (fault != null && faultsTold < FAULTS_TOLD_MAX) {
                faultsTold++;
                say("found " + fault + " " + number + " after " + before + " of " + sender);
            }
        }
    }

    // ------------------------------------------------------------------ sending

    private void send(SiteGroup group) {
        long due = System.nanoTime();
        while (true) {
            long early = due - System.nanoTime();
            if (!isSending || early > 0) {
                // What could not be sent while it was told to be quiet is not made up for.
                due = isSending ? due : System.nanoTime();
                Pause.millis(1);
                continue;
            }
            // A stall of more than a second is not made up for.
            due = Math.max(due, System.nanoTime() - TimeUnit.SECONDS.toNanos(1)) + intervalNanos;
            byte[] content = new byte[messageBytes];
            ByteBuffer.wrap(content).putInt(id).putLong(accepted + 1);
            try {
                group.send(content);
                accepted++;
            } catch (SendException e) {
                say("refused " + e.getMessage());
            } catch (RuntimeException e) {
                e.printStackTrace();
                say("failed " + e);
                return;
            }
        }
    }

    // ------------------------------------------------------------------ reports

    private void report(Sites sites, SiteGroup group) {
        long heapAt = System.nanoTime() + TimeUnit.SECONDS.toNanos(HEAP_SECONDS);
        while (true) {
            StringBuilder line = new StringBuilder("has " + accepted);
            line.append(' ').append(sites.view().sites().stream().filter(one -> one.state() == Site.State.UP).count());
            line.append(' ').append(group.local().view().members().getFirst().node().equals(sites.node().id()));
            line.append(' ').append(group.status().getOrDefault("retained", 0L));
            synchronized (received) {
                received.forEach((sender, numbers) -> {
                    if (reported.getOrDefault(sender, 0L) != numbers.last()) {
                        reported.put(sender, numbers.last());
                        line.append(' ').append(sender).append(':').append(numbers.first()).append(':').append(numbers.last());
                    }
                });
            }
            say(line.toString());
            if (System.nanoTime() > heapAt) {
                heapAt = System.nanoTime() + TimeUnit.SECONDS.toNanos(HEAP_SECONDS);
                System.gc();
                Runtime runtime = Runtime.getRuntime();
                say("heap " + (runtime.totalMemory() - runtime.freeMemory()));
            }
            Pause.millis(REPORT_MILLIS);
        }
    }
}
