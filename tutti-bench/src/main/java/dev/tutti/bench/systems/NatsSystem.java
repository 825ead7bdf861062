package dev.tutti.bench.systems;

import dev.tutti.bench.BenchException;
import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * NATS: the first member starts a {@code nats-server}, all connect to it, publish on one subject and subscribe to it.
 * Settings keep it from dropping messages: a gigabyte may wait for each consumer (64 MB is the default), and clients
 * have no limit. A sender does not receive its own messages, and there is no unicast.
 */
public final class NatsSystem implements GroupSystem {

    /** System property with the program's file, if it is not on the PATH. */
    public static final String PROGRAM = "bench.nats";

    private static final String HELLO = "hello.";
    private static final long JOIN_NANOS_MAX = 30_000_000_000L;
    private static final long PAUSE_NANOS = 20_000_000;
    private static final Duration FLUSH_MAX = Duration.ofSeconds(30);
    private static final int CLOSE_SECONDS_MAX = 5;
    private static final String SETTINGS =
            """
            host: 127.0.0.1
            port: %d
            max_payload: 64MB
            max_pending: 1GB
            write_deadline: "60s"
            """;

    private final Seat seat;
    private final Listener listener;
    private final Set<String> greeted = ConcurrentHashMap.newKeySet();
    private @Nullable Process server;
    private @Nullable Path settings;
    private @Nullable Connection connection;

    NatsSystem(Seat seat, Listener listener) {
        this.seat = seat;
        this.listener = listener;
    }

    @Override
    public void start() {
        Addresses.requireNone("NATS");
        if (seat.rank() > 0) {
            return;
        }
        String program = System.getProperty(PROGRAM, "nats-server");
        try {
            Path file = Files.createTempFile("tutti-bench-nats-", ".conf");
            Files.writeString(file, SETTINGS.formatted(seat.port()));
            settings = file;
            server = new ProcessBuilder(program, "-c", file.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            // It must not outlive a member that exits or is terminated; a kill -9 by the coordinator kills it, too.
            Runtime.getRuntime().addShutdownHook(new Thread(this::endServer));
        } catch (IOException e) {
            throw new BenchException(
                    "there is no " + program + " (" + e.getMessage() + "); install it with 'go install"
                            + " github.com/nats-io/nats-server/v2@v2.15.2', or name it: --jvm=-D" + PROGRAM + "=FILE",
                    e);
        }
    }

    @Override
    public void join() {
        Options options = Options.builder()
                .server("nats://127.0.0.1:" + seat.ports().getFirst())
                .noEcho()
                .noReconnect()
                .build();
        try {
            Connection open = connect(options);
            connection = open;
            Dispatcher dispatcher = open.createDispatcher(message -> {
                byte[] bytes = message.getData();
                if (message.getSubject().equals(GROUP)) {
                    listener.onMessage(bytes, 0, bytes.length);
                } else {
                    greeted.add(message.getSubject());
                }
            });
            dispatcher.setPendingLimits(-1, -1);
            dispatcher.subscribe(GROUP);
            dispatcher.subscribe(HELLO + "*");
            open.flush(FLUSH_MAX);
            greet(open);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        } catch (IOException | TimeoutException e) {
            throw new BenchException("NATS does not connect: " + e.getMessage(), e);
        }
        listener.onView(seat.ranks(), 0, "subscribed");
    }

    /** Connects, repeatedly, because the server needs some time until it listens. */
    private static Connection connect(Options options) throws IOException, InterruptedException {
        long end = System.nanoTime() + JOIN_NANOS_MAX;
        while (true) {
            try {
                return Nats.connect(options);
            } catch (IOException e) {
                if (System.nanoTime() > end) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Greets until all others have greeted, and so have subscribed, and once more for the last of them. */
    private void greet(Connection open) throws TimeoutException, InterruptedException {
        long end = System.nanoTime() + JOIN_NANOS_MAX;
        while (greeted.size() < seat.members() - 1) {
            if (System.nanoTime() > end) {
                throw new TimeoutException(greeted.size() + " of " + (seat.members() - 1) + " members have subscribed");
            }
            open.publish(HELLO + seat.rank(), new byte[0]);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        open.publish(HELLO + seat.rank(), new byte[0]);
        open.flush(FLUSH_MAX);
    }

    /** The client keeps the array until it is written. */
    @Override
    public void multicast(byte[] message) {
        connection().publish(GROUP, message.clone());
    }

    @Override
    public void unicast(int rank, byte[] message) {
        throw new UnsupportedOperationException("publishers have no unicast");
    }

    @Override
    public long startedCpuNanos() {
        Process started = server;
        return started == null ? 0 : started.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }

    @Override
    public void close() {
        try {
            Connection open = connection;
            if (open != null) {
                open.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        endServer();
    }

    private void endServer() {
        try {
            Process started = server;
            if (started != null) {
                started.destroy();
                if (!started.waitFor(CLOSE_SECONDS_MAX, TimeUnit.SECONDS)) {
                    started.destroyForcibly();
                }
            }
            Path file = settings;
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new BenchException("can't delete " + settings, e);
        }
    }

    private Connection connection() {
        return Objects.requireNonNull(connection, "not joined");
    }
}
