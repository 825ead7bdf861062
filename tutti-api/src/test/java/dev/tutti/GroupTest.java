package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.View;
import dev.tutti.core.settings.SettingException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes and groups from an application's view, on real sockets of this machine. */
@Timeout(60)
class GroupTest {

    private final List<Node> nodes = new ArrayList<>();

    @AfterEach
    void closeAll() {
        nodes.forEach(Node::close);
    }

    private Node node(String name) {
        NodeBuilder builder = Node.tcp(0).name(name);
        if (!nodes.isEmpty()) {
            builder.seeds(nodes.getFirst().address());
        }
        Node node = builder.start();
        nodes.add(node);
        return node;
    }

    @Test
    void membersSeeOneViewAndEachOthersMessages() throws InterruptedException {
        Recorder one = new Recorder();
        Recorder two = new Recorder();
        Group first = one.on(node("a").group("chat")).join();
        Group second = two.on(node("b").group("chat")).join();
        one.awaitViewOf(2);
        assertThat(two.awaitViewOf(2).id()).isEqualTo(one.views().getLast().id());
        first.send("hello");
        second.send("hi");
        one.awaitMessages(2);
        two.awaitMessages(2);
        assertThat(one.texts()).containsExactlyInAnyOrder("hello", "hi");
        assertThat(two.texts()).containsExactlyInAnyOrder("hello", "hi");
        assertThat(second.view().coordinator().name()).isIn("a", "b");
    }

    @Test
    @Timeout(50)
    void theFirstMemberDoesNotWaitForAnybody() {
        Recorder recorder = new Recorder();
        Node alone = Node.tcp(0).name("alone").set("discovery.patience", "1 min").start();
        nodes.add(alone);
        // If it waited for the minute of discovery.patience, the test would time out.
        Group group = recorder.on(alone.group("g")).join();
        assertThat(group.view().size()).isEqualTo(1);
        assertThat(recorder.views()).as("the first view came before join returned").hasSize(1);
    }

    @Test
    void messagesOfAllSizesArriveWholeAndInOrder() throws InterruptedException {
        int[] sizes = {0, 1, 1_023, 65_000, 65_403, 65_404, 65_536, 129_915, 129_916, 200_000, 5_000_000, 3};
        List<Long> sums = new ArrayList<>();
        CountDownLatch all = new CountDownLatch(sizes.length);
        node("a").group("sizes").set("window", "256 KiB").join();
        Recorder other = new Recorder();
        node("b").group("sizes")
                .set("window", "256 KiB")
                .onView(other::onView)
                .onMessage(message -> {
                    sums.add(sum(message.bytes()));
                    all.countDown();
                })
                .join();
        other.awaitViewOf(2);
        List<Long> expected = new ArrayList<>();
        Group sender = nodes.getFirst().groups().getFirst();
        for (int size : sizes) {
            byte[] message = new byte[size];
            for (int index = 0; index < size; index++) {
                message[index] = (byte) (index * 31 + size);
            }
            expected.add(sum(message));
            sender.send(message);
        }
        assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(sums).isEqualTo(expected);
    }

    private static long sum(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return crc.getValue() + bytes.length * 1L;
    }

    @Test
    void unicastReachesOneMemberOnlyAndInOrder() throws InterruptedException {
        Recorder one = new Recorder();
        Recorder two = new Recorder();
        Recorder three = new Recorder();
        Group first = one.on(node("a").group("g")).join();
        Group second = two.on(node("b").group("g")).join();
        three.on(node("c").group("g")).join();
        one.awaitViewOf(3);
        two.awaitViewOf(3);
        three.awaitViewOf(3);
        for (int count = 0; count < 500; count++) {
            first.sendTo(second.self(), ("u" + count).getBytes(StandardCharsets.UTF_8));
        }
        first.sendTo(first.self(), "me".getBytes(StandardCharsets.UTF_8));
        first.send("end");
        two.awaitMessages(501);
        one.awaitMessages(2);
        three.awaitMessages(1);
        List<String> unicasts = two.messages().stream().filter(Recorder.Got::isUnicast).map(Recorder.Got::text).toList();
        assertThat(unicasts).hasSize(500).startsWith("u0", "u1").endsWith("u499");
        assertThat(one.texts()).containsExactlyInAnyOrder("me", "end");
        assertThat(three.texts()).containsExactly("end");
    }

    @Test
    void aSlowConsumerSlowsTheSenderAndIsNamed() throws InterruptedException {
        CountDownLatch release = new CountDownLatch(1);
        AtomicLong consumed = new AtomicLong();
        Recorder one = new Recorder();
        // Long enough that the send does not end up waiting for the sender's own delivery on a busy machine.
        Group first = one.on(node("fast").group("g").set("window", "128 KiB").set("send-timeout", "2 s")).join();
        Recorder two = new Recorder();
        node("slow-reviewer").group("g")
                .set("window", "128 KiB")
                .onView(two::onView)
                .onMessage(message -> {
                    try {
                        release.await(30, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    consumed.incrementAndGet();
                })
                .join();
        one.awaitViewOf(2);
        byte[] message = new byte[10_000];
        AtomicLong accepted = new AtomicLong();
        assertThatThrownBy(() -> {
                    while (accepted.get() < 10_000) {
                        first.send(message);
                        accepted.incrementAndGet();
                    }
                })
                .isInstanceOfSatisfying(
                        SendException.class,
                        e -> assertThat(e.reason()).isEqualTo(SendException.Reason.WINDOW_CLOSED))
                .hasMessageContaining("slow");
        assertThat(first.waitsFor()).contains("slow");
        assertThat(first.trySend(message)).isFalse();
        CompletableFuture<Void> later = first.sendAsync(message);
        assertThat(later).isNotDone();
        release.countDown();
        assertThat(later).succeedsWithin(20, TimeUnit.SECONDS);
        long expected = accepted.get() + 1;
        one.awaitMessages((int) expected);
        first.close();
        assertThat(consumed.get()).as("nothing accepted is lost").isLessThanOrEqualTo(expected);
    }

    @Test
    void rangesOfAnArrayAreSentIfThatIsPossibleAtOnce() throws InterruptedException {
        List<Long> sums = new ArrayList<>();
        CountDownLatch all = new CountDownLatch(3);
        Group group = node("a").group("g")
                .onMessage(message -> {
                    sums.add(sum(message.bytes()));
                    all.countDown();
                })
                .join();
        byte[] bytes = new byte[600_000];
        for (int index = 0; index < bytes.length; index++) {
            bytes[index] = (byte) (index * 31);
        }
        assertThat(group.trySend(bytes, 1, 3)).isTrue();
        assertThat(group.trySendTo(group.self(), bytes, 5, 1_000)).isTrue();
        List<Long> expected = new ArrayList<>();
        expected.add(sum(Arrays.copyOfRange(bytes, 1, 4)));
        expected.add(sum(Arrays.copyOfRange(bytes, 5, 1_005)));
        expected.add(sum(Arrays.copyOfRange(bytes, 100_000, 400_000)));
        boolean isSent = false;
        while (!isSent) {
            // A large message is taken when nothing else waits.
            isSent = group.trySendTo(group.self(), bytes, 100_000, 300_000);
        }
        Arrays.fill(bytes, (byte) 1);
        assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(sums).containsExactlyInAnyOrderElementsOf(expected);
        assertThatThrownBy(() -> group.trySendTo(group.self(), bytes, 599_999, 2)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void componentsHaveTimeAndThreads() throws Exception {
        Threads threads = node("a").threads();
        CompletableFuture<Long> later = new CompletableFuture<>();
        long start = threads.nanoTime();
        threads.startAfter(20_000_000, "later", () -> later.complete(threads.nanoTime() - start));
        assertThat(threads.get(later)).isGreaterThanOrEqualTo(20_000_000);
        assertThat(threads.join(later)).isEqualTo(threads.get(later, 1, TimeUnit.SECONDS));
    }

    @Test
    void whoLeavesIsGoneAtOnceAndCanSendNoMore() throws InterruptedException {
        Recorder one = new Recorder();
        Recorder two = new Recorder();
        one.on(node("a").group("g")).join();
        Group second = two.on(node("b").group("g").set("leave-timeout", "10 min")).join();
        one.awaitViewOf(2);
        second.send("bye");
        // If it waited for its time-out, the test would time out.
        second.close();
        View last = one.awaitViewOf(1);
        assertThat(last.members().getFirst().name()).isEqualTo("a");
        assertThat(one.texts()).as("sent before leaving").containsExactly("bye");
        two.await("closed", recorder -> !recorder.closed().isEmpty());
        assertThatThrownBy(() -> second.send("late"))
                .isInstanceOfSatisfying(
                        SendException.class, e -> assertThat(e.reason()).isEqualTo(SendException.Reason.LEFT));
        Recorder again = new Recorder();
        again.on(nodes.getLast().group("g")).join();
        again.awaitViewOf(2);
        one.awaitViewOf(2);
    }

    @Test
    void groupsOnOneNodeAreIndependentAndCostNoThread() throws InterruptedException {
        Node a = node("a");
        Node b = node("b");
        Recorder warm = new Recorder();
        warm.on(a.group("warm")).join();
        b.group("warm").join();
        warm.awaitViewOf(2);
        int threads = Thread.activeCount();
        List<Recorder> recorders = new ArrayList<>();
        List<Group> groups = new ArrayList<>();
        for (int count = 0; count < 100; count++) {
            a.group("g" + count).join();
            Recorder recorder = new Recorder();
            groups.add(recorder.on(b.group("g" + count)).join());
            recorders.add(recorder);
        }
        for (Recorder recorder : recorders) {
            recorder.awaitViewOf(2);
        }
        groups.get(7).send("only here");
        recorders.get(7).awaitMessages(1);
        assertThat(recorders.get(8).messages()).isEmpty();
        assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads + 1);
    }

    @Test
    void aListenerMayWaitForWhatOnlyItsNodeCanBring() throws InterruptedException {
        Node one = node("a");
        Node two = node("b");
        Recorder others = new Recorder();
        Recorder answers = new Recorder();
        Group questions = answers.on(one.group("answers")).join();
        Group answering = others.on(two.group("answers")).join();
        answers.awaitViewOf(2);
        CountDownLatch arrived = new CountDownLatch(1);
        CompletableFuture<String> waited = new CompletableFuture<>();
        node("c").group("answers")
                .onMessage(message -> {
                    if (!message.text().endsWith("!")) {
                        answering.send(message.text() + "!");
                    }
                })
                .join();
        Group slow = one.group("slow")
                .onMessage(message -> {
                    questions.send("asked in a listener");
                    try {
                        answers.awaitMessages(2);
                        waited.complete(answers.texts().toString());
                    } catch (InterruptedException e) {
                        waited.completeExceptionally(e);
                    }
                    arrived.countDown();
                })
                .join();
        answers.awaitViewOf(3);
        slow.send("begin");
        assertThat(arrived.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(waited.join()).contains("asked in a listener", "asked in a listener!");
    }

    @Test
    void anUnreliableGroupHasViewsAndMessages() throws InterruptedException {
        Recorder one = new Recorder();
        Recorder two = new Recorder();
        Group first = one.on(node("a").group("load").unreliable()).join();
        two.on(node("b").group("load").unreliable()).join();
        one.awaitViewOf(2);
        two.awaitViewOf(2);
        first.send("0.7");
        two.awaitMessages(1);
        assertThat(two.texts()).containsExactly("0.7");
    }

    @Test
    void aMessageIsValidDuringItsCallbackOnly() throws InterruptedException {
        AtomicReference<Message> kept = new AtomicReference<>();
        Recorder views = new Recorder();
        Group group = node("a").group("g")
                .onMessage(message -> {
                    kept.set(message);
                    views.onMessage(message);
                })
                .onClosed(views::onClosed)
                .join();
        group.send("one");
        views.awaitMessages(1);
        group.send("two");
        views.awaitMessages(2);
        group.close();
        // Callbacks come one after the other: the last one with a message is over.
        views.await("closed", recorder -> !recorder.closed().isEmpty());
        assertThatThrownBy(() -> kept.get().text()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aFailingListenerDoesNotStopDelivery() throws InterruptedException {
        Recorder recorder = new Recorder();
        Group group = node("a").group("g")
                .onMessage(message -> {
                    recorder.onMessage(message);
                    if (message.text().equals("bad")) {
                        throw new IllegalArgumentException("as the test wants");
                    }
                })
                .join();
        group.send("bad");
        group.send("good");
        recorder.awaitMessages(2);
        assertThat(recorder.texts()).containsExactly("bad", "good");
    }

    @Test
    void theEndOfABatchComesAfterItsMessagesAndOnTheirThread() throws InterruptedException {
        int count = 500;
        List<String> events = new ArrayList<>();
        List<Thread> wrong = new ArrayList<>();
        AtomicReference<Thread> delivering = new AtomicReference<>();
        AtomicLong received = new AtomicLong();
        CountDownLatch all = new CountDownLatch(1);
        Recorder other = new Recorder();
        Group sender = node("a").group("batches").join();
        node("b").group("batches")
                .onView(other::onView)
                .onMessage(message -> {
                    delivering.set(Thread.currentThread());
                    received.incrementAndGet();
                    events.add("message");
                })
                .onBatchEnd(() -> {
                    if (delivering.get() != Thread.currentThread()) {
                        wrong.add(Thread.currentThread());
                    }
                    events.add("end");
                    if (received.get() == count) {
                        all.countDown();
                    }
                    throw new IllegalStateException("does not stop delivery");
                })
                .join();
        other.awaitViewOf(2);
        for (int number = 0; number < count; number++) {
            sender.send("m" + number);
        }
        assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(wrong).isEmpty();
        assertThat(events.getFirst()).isEqualTo("message");
        long ends = events.stream().filter("end"::equals).count();
        assertThat(ends).as("fewer than messages").isBetween(1L, count - 1L);
        for (int index = 1; index < events.size(); index++) {
            assertThat(events.get(index - 1) + " " + events.get(index)).isNotEqualTo("end end");
        }
    }

    @Test
    void messagesComeInBatchesInOrderAndNotToTheirSender() throws InterruptedException {
        int count = 50_000;
        List<Integer> numbers = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        List<Integer> own = new ArrayList<>();
        CountDownLatch all = new CountDownLatch(count);
        Recorder other = new Recorder();
        Group sender = node("a").group("batches").onMessages(batch -> own.add(batch.size())).join();
        node("b").group("batches")
                .onView(other::onView)
                .onMessages(batch -> {
                    sizes.add(batch.size());
                    for (Message message : batch) {
                        numbers.add(message.buffer().getInt());
                        all.countDown();
                    }
                })
                .join();
        other.awaitViewOf(2);
        for (int number = 0; number < count; number++) {
            sender.send(ByteBuffer.allocate(Integer.BYTES).putInt(number).array(), SendOptions.NOT_TO_SELF);
        }
        assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(numbers).isEqualTo(IntStream.range(0, count).boxed().toList());
        assertThat(sizes).hasSizeLessThan(count).allMatch(size -> size >= 1 && size <= 1_000);
        assertThat(own).isEmpty();
    }

    @Test
    void mistakesAreToldClearly() {
        Node node = node("a");
        node.group("g").join();
        assertThatThrownBy(() -> node.group("g").join())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has joined group g already");
        assertThatThrownBy(() -> node.group("h").set("windw", "1 MiB"))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("did you mean 'window'?");
        assertThatThrownBy(() -> node.group("h").set("window", "100"))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("no unit");
        assertThatThrownBy(() -> node.group("")).isInstanceOf(IllegalArgumentException.class);
        node.close();
        assertThatThrownBy(() -> node.group("late").join())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(node::inspection).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void statusShowsGroupsViewsLinksAndCounters() throws InterruptedException {
        Recorder one = new Recorder();
        one.on(node("a").group("g")).join();
        node("b").group("g").join();
        one.awaitViewOf(2);
        assertThat(nodes.getFirst().report()).containsKeys("transport", "node", "links", "groups", "delivery");
        assertThat(nodes.getFirst().report().get("groups").toString()).contains("g", "[a, b]".substring(1, 2));
    }
}
