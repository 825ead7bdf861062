package dev.tutti.campaign.chaos.process;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.SendException;
import dev.tutti.campaign.chaos.journal.Journal;
import dev.tutti.campaign.chaos.journal.Notation;
import dev.tutti.campaign.host.Pause;
import dev.tutti.campaign.lies.LyingDriverProvider;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Main class of a process under faults: a user of the public API that sends all the time, and records the events that
 * it sees.
 *
 * <p>It obeys commands on the standard input, and reports on the standard output the events that the coordinator of the
 * run needs at once ({@link Child} reads them). It ends with its input, so that it never outlives the coordinator.
 */
public final class MemberProcess {

    /** Mark at the beginning of lines for the coordinator, because libraries print too. */
    static final String MARK = "#chaos ";

    private static final String GROUP = "chaos";
    private static final int UNICAST_ONE_IN = 5;
    private static final int LARGE_ONE_IN = 200;
    private static final int BURST_ONE_IN = 100;
    private static final int BURST_MESSAGES = 40;
    private static final int SMALL_BYTES_MAX = 2_000;
    private static final int LARGE_BYTES_MAX = 200_000;
    private static final long IDLE_MILLIS = 10;
    private static final long CLOSE_SECONDS_MAX = 15;

    private final Journal journal;
    private final NodeBuilder builder;
    private final SplittableRandom random;
    private final long intervalMillis;
    private final Map<String, String> groupSettings = new TreeMap<>();
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong submitted = new AtomicLong();

    private volatile @Nullable Node node;
    private volatile @Nullable Membership membership;
    private volatile boolean isSending;

    private MemberProcess(Path journal, long seed, long intervalMillis, Map<String, String> settings) {
        this.journal = new Journal(journal);
        this.random = new SplittableRandom(seed);
        this.intervalMillis = intervalMillis;
        NodeBuilder made = Node.of(Node.defaults());
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            if (setting.getKey().startsWith(OF_GROUP)) {
                groupSettings.put(setting.getKey().substring(OF_GROUP.length()), setting.getValue());
            } else {
                made = setting.getKey().equals(SEEDS)
                        ? made.seeds(setting.getValue().split(","))
                        : made.set(setting.getKey(), setting.getValue());
            }
        }
        this.builder = made;
    }

    private static final String SEEDS = "discovery.seeds";

    /** Prefix of the names of the group's settings. */
    public static final String OF_GROUP = "group.";

    /** Takes the journal, a seed, milliseconds between messages, and settings of the node as {@code name=value}. */
    public static void main(String[] arguments) throws IOException {
        Map<String, String> settings = new TreeMap<>();
        for (String setting : List.of(arguments).subList(3, arguments.length)) {
            int equals = setting.indexOf('=');
            settings.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        MemberProcess process = new MemberProcess(
                Path.of(arguments[0]), Long.parseLong(arguments[1]), Long.parseLong(arguments[2]), settings);
        Lateness.watch(nanos -> say("late " + nanos));
        int code = process.run();
        // No other thread keeps the process alive when the coordinator of the run has gone.
        System.exit(code);
    }

    private int run() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try {
            Node started = builder.start();
            node = started;
            journal.node(started.id());
            join(started);
            Thread.ofPlatform().daemon().name("sender").start(this::send);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                obey(line, started);
            }
            return 0;
        } catch (RuntimeException e) {
            e.printStackTrace();
            say("failed " + e);
            return 1;
        }
    }

    private static void say(String line) {
        synchronized (System.out) {
            System.out.println(MARK + System.nanoTime() + " " + line);
            System.out.flush();
        }
    }

    private void obey(String command, Node started) {
        switch (command) {
            case "leave" -> leave();
            case "join" -> join(started);
            case "send" -> isSending = true;
            case "quiet" -> isSending = false;
            case "count" -> say("count " + submitted.get() + " " + delivered.get());
            case "status" -> say("status " + started.inspection().json());
            case "lie" -> LyingDriverProvider.begin();
            case "told" -> say("told " + told());
            default -> throw new IllegalArgumentException("unknown command: " + command);
        }
    }

    /** Returns the number of lies of each kind, as {@code kind=number,kind=number}. */
    private static String told() {
        return LyingDriverProvider.told().entrySet().stream()
                .map(each -> each.getKey().name().toLowerCase(Locale.ROOT).replace('_', '-') + "=" + each.getValue())
                .collect(Collectors.joining(","));
    }

    private void join(Node started) {
        Membership joining = new Membership(started);
        membership = joining;
        joining.join();
    }

    private void leave() {
        Membership leaving = membership;
        if (leaving != null) {
            leaving.leave();
        }
        membership = null;
    }

    // ------------------------------------------------------------------ sending

    private void send() {
        while (true) {
            Membership present = membership;
            if (present == null || !isSending) {
                Pause.millis(IDLE_MILLIS);
                continue;
            }
            int count = random.nextInt(BURST_ONE_IN) == 0 ? BURST_MESSAGES : 1;
            for (int index = 0; index < count && isSending; index++) {
                present.send();
            }
            Pause.millis(random.nextLong(2 * intervalMillis + 1));
        }
    }

    /** A membership, from a join to the next leave. */
    private final class Membership {
        private final Node node;
        private final CountDownLatch closed = new CountDownLatch(1);
        private final Map<Member, Long> sentTo = new TreeMap<>();
        private long sentToAll;
        private volatile @Nullable Group group;
        private volatile @Nullable Member self;
        private volatile @Nullable View view;

        Membership(Node node) {
            this.node = node;
        }

        void join() {
            GroupBuilder joining = node.group(GROUP);
            groupSettings.forEach(joining::set);
            Group joined = joining.onView(this::onView)
                    .onMessage(this::onMessage)
                    .onClosed(this::onClosed)
                    .join();
            journal.joined(self());
            group = joined;
            say("joined");
        }

        void leave() {
            Group left = group;
            if (left == null) {
                throw new IllegalStateException("not joined");
            }
            group = null;
            left.close();
            try {
                if (!closed.await(CLOSE_SECONDS_MAX, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("the group was left, and its listener not told of it");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            say("left");
        }

        private Member self() {
            Member known = self;
            if (known == null) {
                throw new IllegalStateException("there was no view yet");
            }
            return known;
        }

        void onView(View installed) {
            for (Member member : installed.members()) {
                if (member.node().equals(node.id())) {
                    self = member;
                }
            }
            view = installed;
            journal.view(self(), installed);
            say("view " + Notation.of(self()) + " " + Notation.of(installed.id()) + " "
                    + Notation.of(installed.members()));
        }

        void onMessage(Message message) {
            byte[] content = message.bytes();
            Member sender = message.sender();
            long index = Content.index(content, sender, self(), message.isUnicast());
            journal.delivered(self(), sender, message.isUnicast(), index, Content.hash(content));
            delivered.incrementAndGet();
            if (!message.view().equals(view)) {
                journal.wrong(self(), "a message of view " + message.view().id() + " is delivered after view " + view);
            }
        }

        void onClosed(String reason) {
            journal.left(self(), reason);
            if (group != null) {
                say("lost " + reason);
            }
            closed.countDown();
        }

        void send() {
            Group to = group;
            View present = view;
            if (to == null || present == null) {
                return;
            }
            Member receiver = random.nextInt(UNICAST_ONE_IN) == 0 ? anotherOf(present) : null;
            int length = random.nextInt(random.nextInt(LARGE_ONE_IN) == 0 ? LARGE_BYTES_MAX : SMALL_BYTES_MAX);
            long index = receiver == null ? sentToAll + 1 : sentTo.getOrDefault(receiver, 0L) + 1;
            byte[] content = Content.of(self(), receiver, index, length);
            journal.submitted(self(), receiver, index, Content.hash(content));
            try {
                if (receiver == null) {
                    to.send(content);
                    sentToAll = index;
                } else {
                    to.sendTo(receiver, content);
                    sentTo.put(receiver, index);
                }
                submitted.incrementAndGet();
            } catch (SendException e) {
                journal.unsent(self(), receiver, index);
            }
        }

        private @Nullable Member anotherOf(View present) {
            List<Member> others = present.members().stream()
                    .filter(member -> !member.equals(self))
                    .toList();
            return others.isEmpty() ? null : others.get(random.nextInt(others.size()));
        }
    }
}
