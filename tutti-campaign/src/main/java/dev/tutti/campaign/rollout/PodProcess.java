package dev.tutti.campaign.rollout;

import dev.tutti.Node;
import dev.tutti.campaign.host.Pause;
import dev.tutti.metrics.HealthServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.catalina.LifecycleException;

/**
 * Main class of a pod: a member that sends, calls, and serves HTTP. It ends in order when it gets SIGTERM, and at once when its
 * input ends, so that it never outlives the run.
 */
public final class PodProcess {

    /** Mark at the beginning of lines for the run, because libraries print too. */
    static final String MARK = "#pod ";

    private static final long SEND_MILLIS = 20;
    private static final long CALL_MILLIS = 100;
    private static final long CALL_ALL_MILLIS = 400;
    private static final long LOOK_MILLIS = 20;

    private final Node node;
    private final Feed feed;
    private final Caller caller;
    private final AtomicInteger working = new AtomicInteger();
    private volatile boolean isQuiet;

    private PodProcess(String name, PodAddress address, Path peers, boolean isDraining) {
        node = Node.tcp(address.nodePort()).bind(address.host()).name(name).cluster("rollout").discover("peers", new PeersFile(peers)).start();
        feed = new Feed(node, address.id(name), PodProcess::find);
        caller = new Caller(node, isDraining, PodProcess::find);
    }

    /** Takes the name, the address, the ports of the node, of HTTP and of the health, the file of peers, a directory, and whether to drain. */
    public static void main(String[] arguments) throws IOException, LifecycleException {
        PodAddress address = new PodAddress(
                arguments[1], Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]));
        PodProcess process = new PodProcess(arguments[0], address, Path.of(arguments[5]), Boolean.parseBoolean(arguments[7]));
        WebShop shop = new WebShop(process.node, address, Path.of(arguments[6]));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> process.end(shop), "end"));
        process.work("sends", SEND_MILLIS, process.feed::send);
        process.work("calls", CALL_MILLIS, process.caller::callOne);
        process.work("calls-all", CALL_ALL_MILLIS, process.caller::callAll);
        // Last: who asks for the health is told that the pod is ready.
        HealthServer.start(process.node, new InetSocketAddress(address.host(), address.healthPort()));
        process.obey();
        Runtime.getRuntime().halt(1);
    }

    private static void say(String line) {
        synchronized (System.out) {
            System.out.println(MARK + line);
            System.out.flush();
        }
    }

    private static void find(String text) {
        say("found " + text);
    }

    private void obey() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            switch (line) {
                case "quiet" -> {
                    rest();
                    say("sent " + feed.sent());
                }
                case "report" -> report();
                default -> throw new IllegalArgumentException("unknown command: " + line);
            }
        }
    }

    private void report() {
        feed.ranges().forEach((sender, range) -> say("got " + sender + " " + range.first() + " " + range.last()));
        say("counts " + feed.delivered() + " " + caller.toOne() + " " + caller.toAll() + " " + caller.chosenAgain() + " " + feed.members());
    }

    /** Repeats a task on a thread of its own until the pod rests. */
    private void work(String name, long pauseMillis, Runnable task) {
        working.incrementAndGet();
        Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                while (!isQuiet) {
                    task.run();
                    Pause.millis(pauseMillis);
                }
            } finally {
                working.decrementAndGet();
            }
        });
    }

    /** Begins nothing new, and waits for what was begun. */
    private void rest() {
        isQuiet = true;
        while (working.get() > 0) {
            Pause.millis(LOOK_MILLIS);
        }
    }

    private void end(WebShop shop) {
        try {
            // HTTP first: requests need the node.
            shop.stop();
            rest();
            caller.leave();
            feed.leave();
            report();
            say("sent " + feed.sent());
            node.close();
        } catch (LifecycleException | RuntimeException e) {
            e.printStackTrace();
            find("the end of " + node.name() + " has failed: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            find("the end of " + node.name() + " was interrupted");
        }
    }
}
