package dev.tutti.campaign.sites.throughput;

import dev.tutti.campaign.host.Pause;
import dev.tutti.campaign.sites.process.ProcessPipe;
import dev.tutti.campaign.sites.process.Settings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Main class of a process at one end of a line: sends as it is told, and measures what arrives. It ends with its input. */
public final class LineProcess {

    private static final long REPORT_MILLIS = 100;
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Meter meter = new Meter();
    private final Line line;

    /** Nanoseconds between messages; 0 for as fast as it can, -1 for none. */
    private volatile long intervalNanos = -1;

    private volatile boolean isIdle;

    private LineProcess(Settings settings) {
        line = settings.get("kind").equals("sites") ? new SitesLine(settings, meter) : new SocketLine(settings, meter);
    }

    /** Takes {@link Settings}: {@code kind}, which is {@code sites} or {@code sockets}, and those of such a line. */
    public static void main(String[] arguments) throws IOException {
        int code = 0;
        try {
            new LineProcess(Settings.of(arguments)).run();
        } catch (RuntimeException e) {
            e.printStackTrace();
            ProcessPipe.tell("failed " + e);
            code = 1;
        }
        System.exit(code);
    }

    private void run() throws IOException {
        Thread.ofPlatform().daemon().name("sender").start(this::send);
        Thread.ofPlatform().daemon().name("reporter").start(this::report);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String text = in.readLine(); text != null; text = in.readLine()) {
            String[] words = text.split(" ");
            switch (words[0]) {
                case "flood" -> intervalNanos = 0;
                case "steady" -> intervalNanos = TimeUnit.SECONDS.toNanos(1) / Long.parseLong(words[1]);
                case "quiet" -> intervalNanos = -1;
                case "begin" -> meter.begin(System.nanoTime());
                case "read" -> {
                    Meter.Reading reading = meter.read(System.nanoTime());
                    ProcessPipe.tell("read " + reading.messages() + " " + reading.bytesPerSecond() + " " + reading.medianNanos() + " "
                            + reading.p99Nanos());
                }
                default -> throw new IllegalArgumentException("no command " + text);
            }
        }
    }

    private void send() {
        long due = System.nanoTime();
        try {
            while (true) {
                long interval = intervalNanos;
                isIdle = interval < 0;
                long now = System.nanoTime();
                if (interval < 0) {
                    due = now;
                    LockSupport.parkNanos(IDLE_NANOS);
                } else if (interval == 0) {
                    due = now;
                    line.send();
                } else if (due > now) {
                    LockSupport.parkNanos(due - now);
                } else {
                    due += interval;
                    line.sendOne();
                }
            }
        } catch (RuntimeException e) {
            e.printStackTrace();
            ProcessPipe.tell("failed " + e);
        }
    }

    private void report() {
        while (true) {
            boolean isQuiet = isIdle && intervalNanos < 0;
            ProcessPipe.tell("has " + isQuiet + " " + line.isConnected() + " " + line.sent() + " " + line.arrived());
            Pause.millis(REPORT_MILLIS);
        }
    }
}
