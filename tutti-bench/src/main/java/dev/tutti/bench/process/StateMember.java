package dev.tutti.bench.process;

import dev.tutti.Group;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.bench.BenchException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The main class of a process with a {@link StateImage}: executes commands from lines on its standard input. */
final class StateMember implements StateImage.Listener {

    private static final String GROUP = "state";
    private static final int MESSAGE_BYTES_MIN = 16;

    /** Length of the message that makes the state large. */
    private static final int GROW_BYTES = 1;

    /** Size below which a state has not grown. */
    private static final long HALF_BYTES_MIN = 8L << 20;

    private final int rank;
    private final Node node;
    private final StateImage image;
    private volatile @Nullable Group group;
    private volatile double rate;
    private volatile int messageBytes = MESSAGE_BYTES_MIN;
    private volatile long sent;
    private volatile boolean isSending;
    private volatile long waitedNanos;
    private boolean isHalf;

    private StateMember(int rank, List<Integer> ports, long bytes) {
        this.rank = rank;
        this.image = new StateImage(bytes, this);
        this.node = Node.tcp(ports.get(rank))
                .name("m" + rank)
                .seeds(ports.stream().map(port -> "127.0.0.1:" + port).toArray(String[]::new))
                .start();
    }

    /** Arguments: the rank, the ports of all, separated by commas, and the bytes of the state. */
    public static void main(String[] arguments) throws IOException {
        List<Integer> ports = Arrays.stream(arguments[1].split(",")).map(Integer::valueOf).toList();
        int status = new StateMember(Integer.parseInt(arguments[0]), ports, Long.parseLong(arguments[2])).run();
        System.exit(status);
    }

    private int run() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        say(Line.of("ready"));
        for (String text = in.readLine(); text != null; text = in.readLine()) {
            Line command = Line.parse(text);
            switch (command.verb()) {
                case "join" -> Thread.ofVirtual().start(() -> join(command));
                case "grow" -> group().send(new byte[GROW_BYTES]);
                case "send" -> send(command);
                case "stop" -> isSending = false;
                case "count" -> say(count());
                case "image" -> say(Line.of("image")
                        .with("hash", Long.toHexString(image.hash()))
                        .with("last", image.lastOf(command.count("sender")))
                        .with("faults", image.faults()));
                case "exit" -> {
                    return 0;
                }
                default -> throw new BenchException("unknown command: " + command);
            }
        }
        return 0;
    }

    private void say(Line line) {
        synchronized (System.out) {
            System.out.println(line.to(rank));
            System.out.flush();
        }
    }

    private void join(Line command) {
        try {
            long begun = System.nanoTime();
            var builder = node.group(GROUP)
                    .set("state.held-file", command.text("held") + " B")
                    .set("state.transfer-window", command.text("window") + " B")
                    .state(image)
                    .onMessage(this::onMessage)
                    .onClosed(reason -> say(Line.of("closed").with("why", reason)));
            group = builder.join();
            say(Line.of("joined")
                    .with("nanos", System.nanoTime() - begun)
                    .with("resumed", group().stateProgress().resumed())
                    .with("restarted", group().stateProgress().restarted()));
        } catch (RuntimeException e) {
            e.printStackTrace();
            say(Line.of("failed").with("why", e.toString().lines().findFirst().orElse("")));
        }
    }

    private Group group() {
        Group joined = group;
        if (joined == null) {
            throw new IllegalStateException("not joined");
        }
        return joined;
    }

    private void onMessage(Message message) {
        if (message.length() == GROW_BYTES) {
            image.grow();
            say(Line.of("grown"));
            return;
        }
        ByteBuffer bytes = message.buffer();
        image.onMessage((int) bytes.getLong(bytes.position()), bytes.getLong(bytes.position() + Long.BYTES));
    }

    // ------------------------------------------------------------------ sending

    private void send(Line command) {
        rate = command.number("rate");
        messageBytes = command.count("bytes");
        isSending = true;
        Thread.ofPlatform().name("sender").daemon().start(this::sendAll);
    }

    /** Sends at the given rate, or as fast as it can; catches up if it is late. */
    private void sendAll() {
        byte[] message = new byte[messageBytes];
        ByteBuffer head = ByteBuffer.wrap(message).putLong(0, rank);
        long begun = System.nanoTime();
        long count = 0;
        while (isSending) {
            if (rate > 0) {
                long due = begun + (long) (count * 1e9 / rate);
                long early = due - System.nanoTime();
                if (early > 0) {
                    LockSupport.parkNanos(Math.max(early, 1_000_000));
                    continue;
                }
            }
            count++;
            head.putLong(Long.BYTES, count);
            long before = System.nanoTime();
            group().send(message);
            waitedNanos += System.nanoTime() - before;
            sent = count;
        }
        say(Line.of("stopped").with("sent", sent));
    }

    private Line count() {
        Line line = Line.of("counted")
                .with("sent", sent)
                .with("waited", waitedNanos)
                .with("cpu", Usage.now().cpuNanos())
                .with("held", held("held-bytes"))
                .with("heldFile", held("held-file-bytes"));
        Usage.writeHeldTo(line);
        return line;
    }

    private long held(String what) {
        return node.inspection().group(GROUP).map(group -> group.part("state").value(what)).orElse(0L);
    }

    // ------------------------------------------------------------------ the state

    @Override
    public void onSnapshot(long hash, long nanos) {
        say(Line.of("snapshot").with("hash", Long.toHexString(hash)).with("nanos", nanos));
    }

    @Override
    public void onInstalled(long bytes, long totalBytes) {
        if (!isHalf && bytes * 2 >= totalBytes && bytes > HALF_BYTES_MIN) {
            isHalf = true;
            say(Line.of("half").with("provider", provider()).with("at", System.nanoTime()));
        }
        if (bytes == totalBytes) {
            say(Line.of("installed").with("hash", Long.toHexString(image.hash())).with("at", System.nanoTime()));
        }
    }

    /** Returns the rank of the member that provides the state now. */
    private String provider() {
        return node.inspection().group(GROUP).map(group -> group.part("state").text("provider")).orElse("");
    }
}
