package dev.tutti.campaign.sites.process;

import dev.tutti.campaign.host.Pause;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Main class of a process at a site: sends numbered messages to all sites, checks the order of what it delivers, and tells the
 * coordinator of the run on the standard output ({@link SiteChild} reads it). It ends with its input.
 */
public final class SitesProcess {

    private static final long REPORT_MILLIS = 250;
    private static final long HEAP_SECONDS = 20;
    private static final int FAULTS_TOLD_MAX = 100;

    private final Settings settings;
    private final int id;
    private final int messageBytes;
    private final long intervalNanos;

    /** Numbers that outlast the process; null if none is to be kept. */
    private final @Nullable Journal journal;

    // Guarded by the monitor of received.
    private final TreeMap<Integer, Numbers> received = new TreeMap<>();
    private final TreeMap<Integer, Long> reported = new TreeMap<>();
    private int faultsTold;

    private volatile long accepted;
    private volatile boolean isSending;

    /** True while no message is being sent. */
    private volatile boolean isIdle;

    private SitesProcess(Settings settings) {
        this.settings = settings;
        this.id = (int) settings.number("id");
        this.messageBytes = (int) settings.number("message-bytes");
        this.intervalNanos = settings.number("interval-nanos");
        String file = settings.get("journal", "");
        this.journal = file.isEmpty() ? null : new Journal(Path.of(file));
    }

    /**
     * Takes {@link Settings}: those of {@link SiteNode}, the names of the {@code others}, {@code message-bytes}, {@code interval-nanos}
     * between messages, and perhaps a {@code system}, a {@code journal}, and a directory {@code spill} with the bound {@code retain-bytes}.
     */
    public static void main(String[] arguments) throws IOException {
        SitesProcess process = new SitesProcess(Settings.of(arguments));
        int code;
        try {
            code = process.run();
        } catch (RuntimeException e) {
            e.printStackTrace();
            ProcessPipe.tell("failed " + e);
            code = 1;
        }
        // No other thread keeps the process alive when the coordinator of the run has gone.
        System.exit(code);
    }

    private int run() throws IOException {
        SiteSystem system = SiteSystem.open(settings, this::onMessage);
        ProcessPipe.tell("joined");
        Thread.ofPlatform().daemon().name("sender").start(() -> send(system));
        Thread.ofPlatform().daemon().name("reporter").start(() -> report(system));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            isSending = line.equals("send");
        }
        return 0;
    }

    private void onMessage(byte[] message) {
        ByteBuffer content = ByteBuffer.wrap(message);
        int sender = content.getInt();
        long number = content.getLong();
        synchronized (received) {
            Numbers numbers = received.computeIfAbsent(sender, one -> new Numbers());
            long before = numbers.last();
            Numbers.Fault fault = numbers.add(number);
            if (journal != null) {
                journal.delivered(sender, numbers.last());
            }
            if (fault != null && faultsTold < FAULTS_TOLD_MAX) {
                faultsTold++;
                ProcessPipe.tell("found " + fault + " " + number + " after " + before + " of " + sender);
            }
        }
    }

    // ------------------------------------------------------------------ sending

    private void send(SiteSystem system) {
        long due = System.nanoTime();
        while (true) {
            long early = due - System.nanoTime();
            isIdle = !isSending;
            if (isIdle || early > 0) {
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
                system.send(content);
                accepted++;
                if (journal != null) {
                    journal.accepted(accepted);
                }
            } catch (SiteSystem.RefusedException e) {
                ProcessPipe.tell("refused " + e.getMessage());
            } catch (RuntimeException e) {
                e.printStackTrace();
                ProcessPipe.tell("failed " + e);
                return;
            }
        }
    }

    // ------------------------------------------------------------------ reports

    /** Tells how many messages were passed over, have come after all, and have come again. */
    private void tellCounts() {
        long missing = 0;
        long late = 0;
        long duplicates = 0;
        synchronized (received) {
            for (Numbers numbers : received.values()) {
                missing += numbers.missing();
                late += numbers.late();
                duplicates += numbers.duplicates();
            }
        }
        if (missing + duplicates > 0) {
            ProcessPipe.tell("counts " + missing + " " + late + " " + duplicates);
        }
    }

    private void report(SiteSystem system) {
        long heapAt = System.nanoTime() + TimeUnit.SECONDS.toNanos(HEAP_SECONDS);
        while (true) {
            // Before the number, so that an idle one is the last.
            boolean isQuiet = isIdle && !isSending;
            StringBuilder line = new StringBuilder("has " + accepted).append(' ').append(isQuiet);
            line.append(' ').append(system.sitesUp());
            line.append(' ').append(system.isFirst());
            line.append(' ').append(system.retained());
            synchronized (received) {
                received.forEach((sender, numbers) -> {
                    if (reported.getOrDefault(sender, 0L) != numbers.last()) {
                        reported.put(sender, numbers.last());
                        line.append(' ').append(sender).append(':').append(numbers.first()).append(':').append(numbers.last());
                    }
                });
            }
            ProcessPipe.tell(line.toString());
            tellCounts();
            if (System.nanoTime() > heapAt) {
                heapAt = System.nanoTime() + TimeUnit.SECONDS.toNanos(HEAP_SECONDS);
                System.gc();
                Runtime runtime = Runtime.getRuntime();
                ProcessPipe.tell("heap " + (runtime.totalMemory() - runtime.freeMemory()));
            }
            Pause.millis(REPORT_MILLIS);
        }
    }
}
