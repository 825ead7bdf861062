package dev.tutti.tomcat.replication;

import dev.tutti.core.Member;
import dev.tutti.tomcat.diagnostics.ReplicationCounters;
import dev.tutti.tomcat.replication.base.ReplicationOptions;
import dev.tutti.tomcat.replication.codec.MalformedMessageException;
import dev.tutti.tomcat.replication.codec.MessageReader;
import dev.tutti.tomcat.replication.codec.MessageWriter;
import dev.tutti.tomcat.replication.holders.Placement;
import dev.tutti.tomcat.replication.holders.UnreachableException;
import dev.tutti.tomcat.replication.session.Change;
import dev.tutti.tomcat.replication.session.Field;
import dev.tutti.tomcat.replication.session.Mark;
import dev.tutti.tomcat.replication.session.SessionMessage;
import dev.tutti.tomcat.replication.session.SessionRecord;
import dev.tutti.tomcat.replication.session.SessionVersion;
import dev.tutti.tomcat.replication.session.Slot;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Replicators of which some hold each session, in virtual time. Messages, views and tasks are delivered one by one in an
 * order drawn from a seed, while requests wait.
 *
 * <p>A session is a list of words; each request reads it, adds a word of its own and writes it.
 */
final class CopiesWorld {

    static final Field WORDS = Field.attribute("words");

    private static final long BEAT_NANOS = 375_000_000L;
    private static final int LATE_BEATS_MAX = 4;

    /** Thrown when the process of a request is killed in the middle of it. */
    static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    final InMemoryCluster cluster = InMemoryCluster.manual().withEarlyUnicasts();
    final Map<String, Node> nodes = new LinkedHashMap<>();
    final List<String> story = new ArrayList<>();
    final Random random;

    /** Zones of nodes by name; a node that is not in it has none. A change is told in the next view. */
    final Map<String, String> zones = new HashMap<>();

    /** Percentage of messages about zones that come late, half of them after one with another zone. */
    int zoneFaults;

    /** Percentage of waits of requests whose thread runs some beats after what it waits for, as on an overloaded machine. */
    int lateThreads;

    /** Messages about zones that are still to come, in their order. */
    private final List<Runnable> lateZones = new ArrayList<>();

    /** Receives the names of processes that are about to be killed. */
    Consumer<Set<String>> beforeKill = names -> {};

    private final int copies;
    private long nowNanos = 1_000_000_000_000L;
    private int words;

    CopiesWorld(long seed, int copies) {
        this.random = new Random(seed);
        this.copies = copies;
    }

    Node start(String name) {
        story.add("start " + name);
        Node node = new Node(name);
        nodes.put(name, node);
        return node;
    }

    void kill(String... names) {
        beforeKill.accept(Set.of(names));
        story.add("kill " + Arrays.toString(names));
        for (String name : names) {
            // What its tasks still send goes nowhere.
            nodes.remove(name).postsLeft = -1;
        }
        for (String name : names) {
            cluster.crash(name);
        }
    }

    /** Sends the messages about zones that are late. */
    void tellLateZones() {
        List.copyOf(lateZones).forEach(Runnable::run);
        lateZones.clear();
    }

    /** Returns the nodes that are to hold a session, with the zones as they are; for a world at rest. */
    Set<String> wantedHolders(String id) {
        Map<Member, String> zoneOf = new HashMap<>();
        Map<String, Member> members = new LinkedHashMap<>();
        for (String name : nodes.keySet()) {
            Member member = cluster.seats(name).getFirst().member();
            members.put(name, member);
            if (zones.containsKey(name)) {
                zoneOf.put(member, zones.get(name));
            }
        }
        Placement placement = new Placement(members.values(), copies, zoneOf);
        SessionRecord record = nodes.get(placement.home(id).name()).replicator.find(id);
        Member primary = null;
        for (Member member : members.values()) {
            primary = record != null && record.touched().origin() == SessionVersion.originOf(member) ? member : primary;
        }
        Set<String> wanted = new TreeSet<>();
        placement.holders(id, primary).forEach(member -> wanted.add(member.name()));
        return wanted;
    }

    /** Returns the nodes of a zone. */
    String[] namesIn(String zone) {
        return nodes.keySet().stream().filter(name -> zone.equals(zones.get(name))).toArray(String[]::new);
    }

    private static boolean isAboutZone(byte[] message) {
        try {
            return MessageReader.decode(message).message() instanceof SessionMessage.Zone;
        } catch (MalformedMessageException e) {
            throw new AssertionError(e);
        }
    }

    /** Delivers some messages, drawn by chance. */
    void deliverSome(int most) {
        for (int count = random.nextInt(most + 1); count > 0 && cluster.deliverOne(random); count--) {}
    }

    /** Delivers all, and lets time pass. */
    void rest(int beats) {
        for (int beat = 0; beat < beats; beat++) {
            beat();
        }
    }

    private void beat() {
        while (cluster.deliverOne(random)) {}
        nowNanos += BEAT_NANOS;
        for (Node node : List.copyOf(nodes.values())) {
            node.replicator.onBeat();
        }
        while (cluster.deliverOne(random)) {}
    }

    private boolean await(CompletableFuture<Void> future, long timeoutNanos) {
        if (cluster.isOnGroupThread()) {
            throw new AssertionError("a wait on the group's thread, which has to go on for it to end");
        }
        long endNanos = nowNanos + timeoutNanos;
        while (!future.isDone()) {
            if (cluster.deliverOne(random)) {
                continue;
            }
            if (nowNanos >= endNanos) {
                return false;
            }
            beat();
        }
        if (lateThreads > 0 && random.nextInt(100) < lateThreads) {
            rest(1 + random.nextInt(LATE_BEATS_MAX));
        }
        return true;
    }

    /** Returns the nodes that have a copy of a session. */
    List<String> holders(String id) {
        return nodes.values().stream().filter(node -> node.replicator.find(id) != null).map(node -> node.name).toList();
    }

    /** Returns what each node knows, to find out why a run went wrong. */
    String state() {
        StringBuilder text = new StringBuilder();
        for (Node node : nodes.values()) {
            text.append('\n').append(node.name).append(' ').append(node.replicator.status());
            for (SessionRecord record : node.replicator.sessions()) {
                text.append("\n    ").append(record.id()).append(' ').append(record.spread()).append(node.words(record));
            }
        }
        return text.toString();
    }

    String told() {
        return String.join("\n", story);
    }

    final class Node {
        final String name;
        final ReplicationCounters counters = new ReplicationCounters();
        final Replicator replicator;

        /** Number of messages to single members after which the process is killed; none if negative. */
        int postsLeft = -1;

        /** Number of looks at the clock after which the thread that looks stands still while all messages arrive; none if 0. */
        int looksLeft;

        Node(String name) {
            this.name = name;
            replicator = new Replicator(
                    ReplicationOptions.defaults().withCopies(copies).withZone(() -> zones.getOrDefault(name, "")), counters, ended -> {}, this::clock, cluster.executor(),
                    CopiesWorld.this::await);
            replicator.join(this::join, "shop");
            replicator.onBeat();
        }

        private long clock() {
            if (looksLeft > 0 && !cluster.isOnGroupThread() && --looksLeft == 0) {
                cluster.deliverAll(random);
            }
            return nowNanos;
        }

        private SessionChannel join(String group, SessionChannel.Listener listener) {
            SessionChannel seat = cluster.source(name).join(group, listener);
            return new SessionChannel() {
                @Override
                public CompletableFuture<Void> send(byte[] message) {
                    return seat.send(message);
                }

                @Override
                public boolean sendTo(Member receiver, byte[] message) {
                    return seat.sendTo(receiver, message);
                }

                @Override
                public CompletableFuture<Void> post(Member receiver, byte[] message) {
                    if (postsLeft == 0) {
                        throw new Killed();
                    }
                    postsLeft = postsLeft > 0 ? postsLeft - 1 : postsLeft;
                    if (zoneFaults > 0 && isAboutZone(message) && random.nextInt(100) < zoneFaults) {
                        lateZones.add(() -> seat.post(receiver, message));
                        return random.nextBoolean()
                                ? CompletableFuture.completedFuture(null)
                                : seat.post(receiver, MessageWriter.encode(0, new SessionMessage.Zone("wrong" + random.nextInt(2))));
                    }
                    return seat.post(receiver, message);
                }

                @Override
                public boolean trySendTo(Member receiver, byte[] message) {
                    return seat.trySendTo(receiver, message);
                }

                @Override
                public void close() {
                    seat.close();
                }
            };
        }

        List<String> words(@Nullable SessionRecord record) {
            Slot slot = record == null ? null : record.slot(WORDS);
            byte[] content = slot == null ? null : slot.content();
            String text = content == null ? "" : new String(content, StandardCharsets.UTF_8);
            return text.isEmpty() ? List.of() : List.of(text.split(" "));
        }

        List<String> wordsHere(String id) {
            return words(replicator.find(id));
        }

        /** Creates a session; returns its first word. */
        String create(String id) {
            SessionRecord record = replicator.create(id, 0);
            String word = "w" + words++;
            // As the container's session does it: the id is among the first changes.
            Change named = new Change(Field.ID, id.getBytes(StandardCharsets.UTF_8), false);
            write(record, List.of(word), List.of(named, new Change(Field.MAX_INACTIVE, SessionRecord.encodeInt(1_800), false)));
            story.add(name + " creates " + id + " with " + word);
            return word;
        }

        private boolean write(SessionRecord record, List<String> list, List<Change> more) {
            Mark mark = replicator.contact().mark(record);
            List<Change> changes = new ArrayList<>(more);
            changes.add(new Change(WORDS, String.join(" ", list).getBytes(StandardCharsets.UTF_8), false));
            try {
                long number = replicator.publish(record, changes, replicator.contact().standing(), List.of(mark));
                return replicator.confirm(record, mark, number);
            } catch (StalledException | OutdatedException e) {
                return false;
            }
        }

        /**
         * Runs a request.
         *
         * @return what it has read, null if it found no session or was refused
         */
        @Nullable Result request(String id) {
            String word = "w" + words++;
            nowNanos += 1_000_000;
            try {
                SessionRecord record = replicator.awaitContact() ? replicator.await(id) : null;
                if (record == null) {
                    story.add(name + " finds no " + id);
                    return new Result(null, word, false, false);
                }
                List<String> read = words(record);
                replicator.touch(record);
                List<String> list = new ArrayList<>(read);
                list.add(word);
                boolean isConfirmed = write(record, list, List.of());
                story.add(name + " reads " + id + " as " + read + ", writes " + word + (isConfirmed ? "" : ", refused"));
                return new Result(read, word, isConfirmed, false);
            } catch (UnreachableException e) {
                story.add(name + " can't reach " + id);
                return new Result(null, word, false, true);
            } catch (Killed e) {
                story.add(name + " is killed when it writes " + word + " to " + id);
                kill(name);
                return null;
            }
        }
    }

    /**
     * What a request has read and done.
     *
     * @param read null if it found no session
     */
    record Result(@Nullable List<String> read, String word, boolean isConfirmed, boolean isUnreachable) {}
}
