package dev.tutti.sites.internal.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.sites.internal.log.Entry;
import dev.tutti.sites.internal.log.MemoryLog;
import dev.tutti.sites.internal.log.OriginMember;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Messages of one site on their way to another, whose masters change at any time: each arrives once at every member,
 * in the order of its sender, whatever is under way twice.
 */
class StreamsTest {

    private static final String HERE = "berlin";
    private static final String THERE = "paris";
    private static final Member MASTER = new Member(new NodeId(9, "m", "m:1"), 1);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void arriveOnceAndInOrderWhileMastersChange(boolean drops) {
        for (int seed = 1; seed <= 500; seed++) {
            new Run(seed, drops).check();
        }
    }

    /** A site that was restarted as a whole does not take the stream, and a slow line would carry all of it in vain. */
    @Test
    void sendsLittleBeforeTheAnswer() {
        Retention retention = new Retention(HERE, new MemoryLog());
        retention.add(THERE, new SequenceVector());
        for (int number = 1; number <= 100; number++) {
            retention.keep(new Entry(new OriginMember(1, 1, "s1"), number, List.of(), false, new byte[40_000]));
        }
        OutgoingStream stream = new OutgoingStream(THERE, MASTER, 1, 1 << 20);
        stream.begin(retention);
        assertThat(sendAll(stream, retention)).isBetween(256L << 10, 576L << 10);
        stream.open(new SequenceVector(), retention);
        assertThat(sendAll(stream, retention)).isGreaterThan(1000L << 10);
    }

    private static long sendAll(OutgoingStream stream, Retention retention) {
        while (!stream.next(retention, 48 << 10, 0).isEmpty()) {
            // Until the bound is reached.
        }
        return stream.inFlightBytes();
    }

    /** One run: three senders here, three members there, each of which may be the receiving master. */
    private static final class Run {

        private final int seed;
        private final SplittableRandom random;
        private final long bytesMax;
        private final Retention retention = new Retention(HERE, new MemoryLog());
        private final List<Receiver> members = List.of(new Receiver(), new Receiver(), new Receiver());
        private final long[] sent = new long[4];
        private final List<String> meant = new ArrayList<>();
        private Receiver master = members.getFirst();
        private OutgoingStream stream = new OutgoingStream(THERE, MASTER, 1, 4096);
        private long streams = 1;

        /** What the receiving master had delivered when the stream was opened; null if the sending one has been told. */
        private @Nullable SequenceVector answer;

        Run(int seed, boolean drops) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.bytesMax = drops ? 2_000 : Long.MAX_VALUE;
            retention.add(THERE, new SequenceVector());
        }

        void check() {
            for (int step = 0; step < 400; step++) {
                step();
            }
            open(true);
            answer();
            for (int step = 0; step < 400; step++) {
                pass();
                members.forEach(Receiver::takeAll);
                acknowledge();
            }
            for (Receiver member : members) {
                assertThat(member.arrived.waiting()).as("seed %d", seed).isZero();
                assertThat(member.delivered).as("seed %d", seed).doesNotHaveDuplicates();
                for (int sender = 1; sender < sent.length; sender++) {
                    String prefix = sender + ":";
                    List<String> expected = meant.stream().filter(text -> text.startsWith(prefix)).toList();
                    List<String> got = member.delivered.stream().filter(text -> text.startsWith(prefix)).toList();
                    if (bytesMax == Long.MAX_VALUE) {
                        assertThat(got).as("seed %d", seed).isEqualTo(expected);
                    } else {
                        assertThat(expected).as("seed %d", seed).containsSubsequence(got);
                    }
                }
                if (bytesMax != Long.MAX_VALUE) {
                    assertThat(member.delivered.size() + member.lost).as("seed %d", seed).isGreaterThanOrEqualTo(meant.size());
                }
            }
            assertThat(retention.count()).as("seed %d", seed).isZero();
        }

        private void step() {
            switch (random.nextInt(9)) {
                case 0, 1 -> send();
                case 2, 3 -> pass();
                case 4, 5 -> members.get(random.nextInt(members.size())).take(random);
                case 6 -> acknowledge();
                case 7 -> answer();
                default -> {
                    if (random.nextInt(4) == 0) {
                        master = members.get(random.nextInt(members.size()));
                        open(random.nextBoolean());
                    }
                }
            }
        }

        private void send() {
            int sender = 1 + random.nextInt(3);
            long number = sent[sender] += 1 + random.nextInt(10) / 9;
            boolean isThere = random.nextInt(4) > 0;
            List<String> reach = isThere ? random.nextBoolean() ? List.of() : List.of(THERE, "tokyo") : List.of("tokyo");
            String text = sender + ":" + number;
            retention.keep(new Entry(new OriginMember(sender, 1, "s" + sender), number, reach, false, text.getBytes(StandardCharsets.UTF_8)));
            if (isThere) {
                meant.add(text);
            }
            retention.dropDownTo(bytesMax);
        }

        /** Opens a stream, which may begin before the answer: what was passed on before is still under way to the members. */
        private void open(boolean asks) {
            stream = new OutgoingStream(THERE, MASTER, ++streams, 4096);
            if (!asks) {
                stream.begin(retention);
            }
            answer = master.arrived.delivered().copy();
            assertThat(stream.isTaken(answer)).as("seed %d", seed).isTrue();
        }

        private void answer() {
            if (answer != null) {
                stream.open(answer, retention);
                answer = null;
            }
        }

        private void pass() {
            List<RelayItem> items = stream.next(retention, 1 + random.nextInt(300), 0);
            if (!items.isEmpty()) {
                ByteBuffer bytes = ByteBuffer.wrap(new BridgeFrame.Batch("g", 1, items).encode());
                List<RelayItem> read = ((BridgeFrame.Batch) BridgeFrame.decode(bytes)).items();
                members.forEach(member -> member.underWay.computeIfAbsent(members.indexOf(master), key -> new ArrayDeque<>()).add(read));
            }
        }

        /** The site there has what all its members have. */
        private void acknowledge() {
            SequenceVector all = new SequenceVector();
            members.getFirst().arrived.delivered().asMap().forEach((sender, last) -> {
                long least = last;
                for (Receiver member : members) {
                    least = Math.min(least, member.arrived.delivered().of(sender));
                }
                all.raise(sender, least);
            });
            stream.onAcknowledged(all, 0);
            retention.acknowledge(THERE, all);
        }
    }

    /** A member of the other site: what each master passes on comes in its order, and in any order with the others'. */
    private static final class Receiver implements ArrivedMessages.Receiver {
        private final ArrivedMessages arrived = new ArrivedMessages(new SequenceVector(), 0);
        private final TreeMap<Integer, ArrayDeque<List<RelayItem>>> underWay = new TreeMap<>();
        private final List<String> delivered = new ArrayList<>();
        private long lost;

        @Override
        public long nanoTime() {
            return 0;
        }

        void take(SplittableRandom random) {
            List<Integer> masters = underWay.keySet().stream().toList();
            if (!masters.isEmpty()) {
                take(masters.get(random.nextInt(masters.size())));
            }
        }

        void takeAll() {
            while (!underWay.isEmpty()) {
                take(underWay.firstKey());
            }
        }

        private void take(int master) {
            ArrayDeque<List<RelayItem>> queue = underWay.get(master);
            arrived.accept(queue.remove(), this);
            if (queue.isEmpty()) {
                underWay.remove(master);
            }
        }

        @Override
        public void onMessage(RelayItem.Sent message) {
            delivered.add(new String(message.content(), StandardCharsets.UTF_8));
        }

        @Override
        public void onLost(OriginMember member, long first, long last) {
            lost += last - first + 1;
        }
    }
}
