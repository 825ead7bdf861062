package dev.tutti.grid.bridges;

import dev.tutti.grid.ServerOptions;
import dev.tutti.grid.bridges.internal.door.Call;
import dev.tutti.grid.bridges.internal.door.Door;
import dev.tutti.grid.bridges.internal.door.Reply;
import dev.tutti.testing.Await;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/** A server that remembers what it was sent, and answers as it is told. */
public final class Collector implements AutoCloseable {

    private final ConcurrentLinkedQueue<Call> calls = new ConcurrentLinkedQueue<>();
    private final Door door;
    private volatile Supplier<Reply> answer = () -> new Reply(200, "application/x-protobuf", new byte[0], 0);

    public Collector() {
        this(0);
    }

    public Collector(int port) {
        door = new Door("collector", ServerOptions.port(port), call -> {
            calls.add(call);
            return answer.get();
        });
    }

    /** Sets what is answered from now on. */
    public void answer(Supplier<Reply> with) {
        answer = with;
    }

    public String url() {
        return door.url("/v1/metrics").toString();
    }

    public int port() {
        return door.url("/").getPort();
    }

    public List<Call> calls() {
        return List.copyOf(calls);
    }

    public Call awaitCall() {
        Await.until("a request", () -> !calls.isEmpty());
        return calls().getFirst();
    }

    @Override
    public void close() {
        door.close();
    }
}
