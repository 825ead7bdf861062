package dev.tutti.sites.internal.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EntryTest {

    private static final int WRITERS = 4;

    private static Write<String> write(long time, long writer, String value, Map<Long, Long> seen) {
        return new Write<>(new Stamp(0, time, "site " + writer % 2, writer), value, seen);
    }

    private static String value(Entry<String> entry) {
        return entry.value((earlier, later) -> earlier + " " + later);
    }

    @Test
    void theLastWriterWinsInWhateverOrder() {
        Write<String> first = write(1, 1, "a", Map.of());
        Write<String> second = write(2, 2, "b", Map.of());
        assertThat(value(Entry.of(first, false).with(second, false))).isEqualTo("b");
        assertThat(value(Entry.of(second, false).with(first, false))).isEqualTo("b");
        Write<String> laterTerm = new Write<>(new Stamp(1, 1, "x", 3), "c", Map.of());
        assertThat(value(Entry.of(second, false).with(laterTerm, false))).isEqualTo("c");
    }

    @Test
    void aWriteReplacesThoseThatItsWriterHadSeen() {
        Entry<String> both = Entry.of(write(1, 1, "a", Map.of()), true).with(write(2, 2, "b", Map.of()), true);
        assertThat(value(both)).isEqualTo("a b");
        assertThat(value(both.with(write(3, 3, "c", both.seen()), true))).isEqualTo("c");
        assertThat(value(both.with(write(3, 3, "c", Map.of(1L, 1L)), true))).isEqualTo("b c");
    }

    @Test
    void aRemovalYieldsToWriteThatItDidNotKnowOf() {
        Entry<String> entry = Entry.of(write(1, 1, "a", Map.of()), true);
        Entry<String> removed = entry.with(new Write<>(new Stamp(0, 5, "x", 2), null, entry.seen()), true);
        assertThat(removed.isRemoved()).isTrue();
        assertThat(value(removed)).isNull();
        assertThat(value(removed.with(write(3, 3, "c", entry.seen()), true))).isEqualTo("c");
    }

    @Test
    void writesThatStandAndWritersThatAreRememberedAreBounded() {
        Entry<String> entry = Entry.of(write(1, 1, "1", Map.of()), true);
        for (int writer = 2; writer <= 100; writer++) {
            entry = entry.with(write(writer, writer, String.valueOf(writer), Map.of()), true);
        }
        assertThat(entry.writes()).hasSize(Entry.WRITES_MAX);
        assertThat(entry.seen()).hasSize(Entry.WRITERS_MAX);
        assertThat(entry.last().value()).isEqualTo("100");
        assertThat(entry.with(entry.writes().getFirst(), true)).isEqualTo(entry);
    }

    /** Writers get each other's writes in the order of each writer, and otherwise in any. All end equal. */
    @Test
    void membersThatHaveReceivedTheSameWritesHaveTheSameEntry() {
        for (int seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            List<List<Write<String>>> sent = new ArrayList<>();
            int[][] received = new int[WRITERS][WRITERS];
            List<Entry<String>> members = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                sent.add(new ArrayList<>());
                members.add(null);
            }
            long time = 0;
            for (int step = 0; step < 60; step++) {
                int member = random.nextInt(WRITERS);
                if (random.nextInt(3) == 0) {
                    Entry<String> known = members.get(member);
                    String value = random.nextInt(4) == 0 ? null : "v" + step;
                    time++;
                    Write<String> write = write(time, member, value, known == null ? Map.of() : known.seen());
                    sent.get(member).add(write);
                    receive(sent, received, members, member, member);
                } else {
                    receive(sent, received, members, member, random.nextInt(WRITERS));
                }
            }
            for (int member = 0; member < WRITERS; member++) {
                for (int from = 0; from < WRITERS; from++) {
                    while (receive(sent, received, members, member, from)) {
                        // Until it has all.
                    }
                }
            }
            assertThat(members).as("seed " + seed).allMatch(members.getFirst()::equals);
        }
    }

    private static boolean receive(
            List<List<Write<String>>> sent, int[][] received, List<Entry<String>> members, int member, int from) {
        int next = received[member][from];
        if (next == sent.get(from).size()) {
            return false;
        }
        received[member][from]++;
        Entry<String> known = members.get(member);
        Write<String> write = sent.get(from).get(next);
        members.set(member, known == null ? Entry.of(write, true) : known.with(write, true));
        return true;
    }
}
