package dev.tutti.bench.relay;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.relay.Stream.Access;
import dev.tutti.bench.report.Latencies;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Pairs through a rendezvous server of which one end sends a message at a time, and the other one sends it back. */
public final class EchoPairs implements AutoCloseable {

    private static final int MESSAGE_BYTES = 1_024;
    private static final long PAUSE_MILLIS = 10;

    private final int port;
    private final Access access;
    private final Stream control;
    private final List<Stream> streams = new ArrayList<>();
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private final List<Histogram> times = new ArrayList<>();
    private volatile boolean isClosed;

    public EchoPairs(int port, Access access, int count) {
        this.port = port;
        this.access = access;
        try {
            control = Stream.connect(port).request(access, false, "listen/echo.invalid:1").open();
            for (int index = 0; index < count; index++) {
                Histogram histogram = Latencies.histogram();
                times.add(histogram);
                Stream dialler = pair();
                Thread.ofVirtual().start(() -> ask(dialler, histogram));
            }
        } catch (IOException e) {
            throw new BenchException("can't open pairs through the rendezvous server: " + e.getMessage(), e);
        }
    }

    /** Opens a pair, and returns the end that asks. */
    private Stream pair() throws IOException {
        Stream dialler = Stream.connect(port).request(access, false, "connect/echo.invalid:1");
        Stream acceptor = Stream.connect(port).request(access, false, "accept/" + control.ticket()).open();
        streams.add(acceptor);
        Thread.ofVirtual().start(() -> echo(acceptor));
        dialler.open();
        streams.add(dialler);
        return dialler;
    }

    /** Opens a pair as a node does that has just come, sends a message through it, and returns the time that all took. */
    public synchronized long newcomer(int number) throws IOException {
        long began = System.nanoTime();
        try (Stream _ = Stream.connect(port).request(access, false, "listen/new" + number + ".invalid:1").open()) {
            Stream dialler = pair();
            roundTrip(dialler, new byte[MESSAGE_BYTES]);
            dialler.close();
        }
        return System.nanoTime() - began;
    }

    private void ask(Stream dialler, Histogram histogram) {
        Random random = new Random(streams.size());
        byte[] message = new byte[MESSAGE_BYTES];
        try {
            while (!isClosed) {
                random.nextBytes(message);
                long began = System.nanoTime();
                roundTrip(dialler, message);
                synchronized (histogram) {
                    histogram.recordValue(Math.min(System.nanoTime() - began, Latencies.NANOS_MAX));
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        } catch (IOException e) {
            if (!isClosed) {
                faults.add(String.valueOf(e.getMessage()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void roundTrip(Stream dialler, byte[] message) throws IOException {
        dialler.write(message);
        byte[] answer = dialler.readAll(message.length);
        if (!Arrays.equals(message, answer)) {
            throw new IOException("an answer is not the message that was sent");
        }
    }

    private void echo(Stream acceptor) {
        byte[] buffer = new byte[MESSAGE_BYTES];
        try {
            for (int count = acceptor.read(buffer); count >= 0; count = acceptor.read(buffer)) {
                acceptor.write(Arrays.copyOf(buffer, count));
            }
        } catch (IOException e) {
            // The end that asks says so.
        }
    }

    /** Returns the round trips since the last call. */
    public Histogram times() {
        Histogram sum = Latencies.histogram();
        for (Histogram each : times) {
            synchronized (each) {
                sum.add(each);
                each.reset();
            }
        }
        return sum;
    }

    /** Returns what has broken pairs. */
    public List<String> faults() {
        return List.copyOf(faults);
    }

    @Override
    public void close() throws IOException {
        isClosed = true;
        for (Stream stream : streams) {
            stream.close();
        }
        control.close();
    }
}
