package dev.tutti.grid.mediator;

import dev.tutti.grid.internal.door.Doorkeeper;
import dev.tutti.grid.internal.memory.Share;
import dev.tutti.grid.internal.page.PageContent;
import dev.tutti.grid.internal.page.PageFiles;
import dev.tutti.grid.internal.wire.ClientMessage;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/** Parts of a mediator that its requests share. Thread-safe. */
final class Service {

    /** Most bytes of a request's body. */
    static final int BODY_BYTES_MAX = 1 << 20;

    /** Most requests that wait for other members. */
    private static final int REQUESTS_MAX = 64;

    /** Most questions of all clients that wait for other members. */
    private static final int QUESTIONS_MAX = 256;

    private final MediatorSettings settings;
    private final Doorkeeper doorkeeper;
    private final MediatorCounters counters;
    private final Supplier<Map<String, Long>> numbers;
    private final PostedProducers posted;
    private final JsonDoor json;
    private final PageFiles files = new PageFiles();
    private final Share sending;
    private final Share receiving;
    private final Semaphore requests = new Semaphore(REQUESTS_MAX);
    private final Semaphore questions = new Semaphore(QUESTIONS_MAX);
    private volatile boolean isClosing;

    Service(
            MediatorSettings settings,
            PageContent page,
            Doorkeeper doorkeeper,
            MediatorCounters counters,
            Supplier<Map<String, Long>> numbers) {
        this.settings = settings;
        this.doorkeeper = doorkeeper;
        this.counters = counters;
        this.numbers = numbers;
        this.sending = new Share(settings.sendingBytes());
        this.receiving = new Share(settings.receivingBytes());
        this.posted = new PostedProducers(settings, counters);
        this.json = new JsonDoor(settings, posted, page);
    }

    MediatorSettings settings() {
        return settings;
    }

    Doorkeeper doorkeeper() {
        return doorkeeper;
    }

    MediatorCounters counters() {
        return counters;
    }

    /** Returns why clients should go to another mediator; empty if they are welcome. */
    String trouble() {
        if (isClosing) {
            return "closing";
        }
        String whyLeft = settings.whyLeft().get();
        return whyLeft.isEmpty() ? "" : "the mediator's node has left the group of the grid: " + whyLeft;
    }

    /** Returns the present numbers as Prometheus reads them. */
    String metrics() {
        StringBuilder text = new StringBuilder();
        numbers.get().forEach((name, value) -> {
            String metric = "tutti_grid_" + name.replace('-', '_');
            text.append("# TYPE ").append(metric).append(" untyped\n").append(metric).append(' ').append(value).append('\n');
        });
        return text.toString();
    }

    JsonDoor json() {
        return json;
    }

    /** Returns the files of the page for browsers. */
    PageFiles files() {
        return files;
    }

    /** Returns the memory for what waits for clients. */
    Share sending() {
        return sending;
    }

    /** Returns the memory for what has come, and whose end has not. */
    Share receiving() {
        return receiving;
    }

    /** Returns the largest answer that is sent: not more than half of the memory for all. */
    long answerBytesMax() {
        return Math.min(ClientMessage.MEDIATOR_BYTES_MAX, sending.bytesMax() / 2);
    }

    /** Returns numbers for monitoring. */
    Map<String, Long> sizes() {
        return Map.of("client-sending-bytes", sending.usedBytes(), "client-sending-relieved", sending.relieved(),
                "client-receiving-bytes", receiving.usedBytes());
    }

    /** Returns the requests that may be answered at a time. */
    Semaphore requests() {
        return requests;
    }

    /** Returns the questions of clients that may be answered at a time. */
    Semaphore questions() {
        return questions;
    }

    /** Called every second. */
    void onTime() {
        posted.onTime(System.nanoTime());
    }

    void onClosing() {
        isClosing = true;
        posted.close();
    }
}
