package dev.tutti.netty.internal.relay;

import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.netty.internal.loop.Io;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that rendezvous servers list. All servers are asked; the outage of one is none of the source as long as another one
 * answers. A node whose connections are relayed is listed by its driver; another one is listed here.
 */
public final class RendezvousSource implements DiscoverySource {

    /** Addresses to ask a server for: those that were there longest. */
    private static final int LIMIT = 100;

    private final RelayOptions options;
    private final boolean isListing;
    private final List<Registration> registrations = new ArrayList<>();
    private @Nullable Asking asking;

    /** Threads of a source that was started. */
    private record Asking(RelayContext context, EventLoopGroup loops, ExecutorService workers) {}

    /** @param isListing this source lists the node, since its driver does not */
    public RendezvousSource(RelayOptions options, boolean isListing) {
        this.options = options;
        this.isListing = isListing;
    }

    @Override
    public void start(NodeEntry self) {
        if (asking != null) {
            return;
        }
        ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
                1, Thread.ofPlatform().daemon().name("tutti-rendezvous").factory(), Io.NIO.handlers());
        EventLoop loop = loops.next();
        RelayContext context = new RelayContext(loop, Io.NIO::newSocket, workers, options);
        asking = new Asking(context, loops, workers);
        if (isListing) {
            loop.execute(() -> {
                for (RelayServer server : options.servers()) {
                    Registration registration = new Registration(context, server, self.address(), null, new RelayCounters());
                    registrations.add(registration);
                    registration.open();
                }
            });
        }
    }

    @Override
    public List<String> addresses() throws IOException {
        Asking current = asking;
        if (current == null) {
            throw new IOException("the source was not started");
        }
        String path = Registration.path(current.context, "nodes") + "?limit=" + LIMIT;
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (RelayServer server : options.servers()) {
            Answer.Receiver receiver = new Answer.Receiver();
            answers.add(receiver.answer);
            current.context.loop.execute(() -> ServerCall.ask(current.context, server, path, receiver));
        }
        Set<String> addresses = new LinkedHashSet<>();
        List<String> failures = new ArrayList<>();
        for (int index = 0; index < answers.size(); index++) {
            Answer answer = get(answers.get(index));
            if (answer.status == 200) {
                answer.text.lines().map(String::strip).filter(line -> !line.isEmpty()).limit(LIMIT).forEach(addresses::add);
            } else {
                failures.add(options.servers().get(index) + ": " + ServerCall.reason(answer.status, answer.text));
            }
        }
        if (failures.size() == answers.size()) {
            throw new IOException(String.join("; ", failures));
        }
        return List.copyOf(addresses);
    }

    private Answer get(CompletableFuture<Answer> answer) throws IOException {
        try {
            return answer.get(2 * options.timeoutNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            return new Answer(ServerCall.NO_ANSWER, "no answer");
        }
    }

    private record Answer(int status, String text) {

        private static final class Receiver implements ServerCall.Result {

            private final CompletableFuture<Answer> answer = new CompletableFuture<>();

            @Override
            public void onOpen(SocketChannel channel) {
                channel.close();
            }

            @Override
            public void onAnswer(int status, String text) {
                answer.complete(new Answer(status, text));
            }
        }
    }

    @Override
    public void close() {
        Asking current = asking;
        asking = null;
        if (current != null) {
            current.context.loop.execute(() -> registrations.forEach(Registration::close));
            current.loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            current.workers.shutdown();
        }
    }
}
