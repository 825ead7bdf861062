package dev.tutti.sites.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs in memory and on disk: against a model, after damage, and when they can't be written. */
@Tag("seeds")
class RetainedLogTest {

    private static final int SEGMENT_BYTES = 2_000;

    private static final int SEEDS = Math.min(300, Integer.getInteger("tutti.test.tries", 60));

    @TempDir
    private Path directory;

    private static Entry entry(long number, int bytes) {
        byte[] content = new byte[bytes];
        new SplittableRandom(number).nextBytes(content);
        return new Entry(new OriginMember(number % 3, 1, "n"), number + 1, number % 2 == 0 ? List.of() : List.of("paris"), false, content);
    }

    /** Entries are equal if they hold the same array. */
    private static void assertSame(Entry found, Entry expected) {
        assertThat(found.content()).isEqualTo(expected.content());
        assertThat(new Entry(found.member(), found.sequence(), found.reach(), found.isForOne(), expected.content())).isEqualTo(expected);
    }

    @Test
    void logInMemoryIsLikeItsModel() throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            run(seed, new MemoryLog(), false);
        }
    }

    /** The log is opened anew at any time, without having been closed: as after the end of its process. */
    @Test
    void logOnDiskIsLikeItsModelAlsoWhenItsProcessEnds() throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            run(seed, new DiskLog(directory.resolve("log-" + seed), 0, SEGMENT_BYTES), true);
        }
    }

    private void run(int seed, RetainedLog opened, boolean isOnDisk) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        RetainedLog log = opened;
        TreeMap<Long, Entry> model = new TreeMap<>();
        long end = 0;
        for (int step = 0; step < 200; step++) {
            switch (random.nextInt(isOnDisk ? 12 : 11)) {
                case 0 -> {
                    long position = log.first() + random.nextInt(20);
                    log.trimTo(position);
                    model.headMap(position).clear();
                }
                case 1, 2, 3, 4 -> {
                    long position = log.first() - 2 + random.nextInt(20);
                    Entry found = log.at(position);
                    assertThat(found == null).isEqualTo(model.get(position) == null);
                    if (found != null) {
                        assertSame(found, model.get(position));
                    }
                }
                case 11 -> {
                    log = new DiskLog(directory.resolve("log-" + seed), 0, SEGMENT_BYTES);
                    assertThat(log.first()).isEqualTo(model.isEmpty() ? end : model.firstKey());
                }
                default -> {
                    Entry next = entry(end, random.nextInt(300));
                    assertThat(log.append(next)).isEqualTo(end);
                    model.put(end++, next);
                }
            }
            assertThat(log.end()).isEqualTo(end);
            assertThat(log.bytes() == 0).isEqualTo(model.isEmpty());
        }
        log.close();
    }

    @Test
    void damagedRecordAndWhatFollowsItInItsSegmentAreCutOff() throws IOException {
        for (int damage = 0; damage < 60; damage++) {
            Path own = directory.resolve("damaged-" + damage);
            DiskLog log = new DiskLog(own, 0, SEGMENT_BYTES);
            for (int number = 0; number < 40; number++) {
                log.append(entry(number, 100));
            }
            log.close();
            SplittableRandom random = new SplittableRandom(damage);
            List<Path> files = segments(own);
            Path file = files.get(random.nextInt(files.size()));
            byte[] bytes = Files.readAllBytes(file);
            if (damage % 2 == 0) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                Files.write(file, bytes);
            } else {
                Files.write(file, Arrays.copyOf(bytes, random.nextInt(bytes.length)), StandardOpenOption.TRUNCATE_EXISTING);
            }
            Files.createFile(own.resolve("notes.log"));
            DiskLog again = new DiskLog(own, 0, SEGMENT_BYTES);
            assertThat(again.damagedBytes()).isPositive();
            int lost = 0;
            for (long position = 0; position < 40; position++) {
                Entry found = again.at(position);
                if (found == null) {
                    lost++;
                } else {
                    assertSame(found, entry(position, 100));
                }
            }
            assertThat(lost).isBetween(1, SEGMENT_BYTES / 100);
            long end = again.end();
            assertThat(again.append(entry(end, 100))).isEqualTo(end);
            again.close();
        }
    }

    private static List<Path> segments(Path log) throws IOException {
        try (Stream<Path> files = Files.list(log)) {
            return files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
        }
    }

    @Test
    void messagesAreKeptIfThePositionOfTheFirstIsDamaged() throws IOException {
        Path own = directory.resolve("first");
        DiskLog log = new DiskLog(own, 0, SEGMENT_BYTES);
        for (int number = 0; number < 10; number++) {
            log.append(entry(number, 10));
        }
        log.trimTo(4);
        log.close();
        DiskLog again = new DiskLog(own, 0, SEGMENT_BYTES);
        assertThat(again.first()).isEqualTo(4);
        again.close();
        byte[] bytes = Files.readAllBytes(own.resolve("first"));
        bytes[0] ^= 0x40;
        Files.write(own.resolve("first"), bytes);
        DiskLog damaged = new DiskLog(own, 0, SEGMENT_BYTES);
        assertThat(damaged.first()).isZero();
        assertSame(damaged.at(9), entry(9, 10));
        damaged.close();
    }

    /** After a loss of power a file may end with zeros, and the checksum of nothing is zero. */
    @Test
    void zerosAtTheEndOfAFileAreCutOff() throws IOException {
        Path own = directory.resolve("zeros");
        DiskLog log = new DiskLog(own, 0, SEGMENT_BYTES);
        log.append(entry(0, 100));
        log.close();
        Files.write(segments(own).getFirst(), new byte[4_096], StandardOpenOption.APPEND);
        DiskLog again = new DiskLog(own, 0, SEGMENT_BYTES);
        assertThat(again.damagedBytes()).isEqualTo(4_096);
        assertThat(again.end()).isEqualTo(1);
        assertSame(again.at(0), entry(0, 100));
        again.close();
    }

    @Test
    void directoryBelongsToOneMember() {
        try (Spill first = new Spill(directory)) {
            assertThat(first.aside()).isEmpty();
            assertThatThrownBy(() -> new Spill(directory))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("each needs a directory of its own");
        }
    }

    @Test
    void nextRunFindsWhatEarlierOnesHaveKept() {
        for (int run = 0; run < 3; run++) {
            try (Spill spill = new Spill(directory)) {
                assertThat(spill.aside()).hasSize(run);
                assertThat(spill.sites()).isEqualTo(run == 0 ? List.of() : List.of("paris", "tokyo"));
                spill.noteSites(List.of("tokyo", "paris"));
                spill.current().append(entry(run, 10));
            }
        }
        try (Spill spill = new Spill(directory)) {
            for (int run = 0; run < 3; run++) {
                assertSame(spill.aside().get(run).at(0), entry(run, 10));
            }
            spill.deleteAside();
            assertThat(spill.aside()).isEmpty();
        }
        try (Spill spill = new Spill(directory)) {
            assertThat(spill.aside()).isEmpty();
        }
    }

    @Test
    void logThatIsSetAsideStaysReadableAndTheNextGoesOnBehindIt() {
        try (Spill spill = new Spill(directory)) {
            RetainedLog before = spill.current();
            before.append(entry(0, 10));
            RetainedLog next = spill.setAside();
            assertThat(spill.setAside()).as("there is nothing in it yet").isSameAs(next);
            assertThat(next.append(entry(1, 10))).isEqualTo(1);
            assertSame(spill.aside().getFirst().at(0), entry(0, 10));
            assertThat(spill.aside()).containsExactly(before);
            assertThat(spill.current()).isSameAs(next);
        }
    }

    @Test
    void logInMemoryThatIsSetAsideLaterGoesBehindTheEarlierOne() {
        MemoryLogs logs = new MemoryLogs();
        assertThat(logs.setAside()).as("there is nothing in it yet").isSameAs(logs.current());
        logs.current().append(entry(1, 10));
        logs.current().append(entry(2, 10));
        assertThat(logs.setAside().append(entry(1, 10))).isEqualTo(2);
        logs.current().append(entry(3, 10));
        assertThat(logs.setAside()).isSameAs(logs.current());
        assertThat(logs.aside()).hasSize(1);
        RetainedLog aside = logs.aside().getFirst();
        assertThat(aside.end()).isEqualTo(3);
        for (int number = 1; number <= 3; number++) {
            assertSame(aside.at(number - 1), entry(number, 10));
        }
        logs.deleteAside();
        assertThat(logs.aside()).isEmpty();
    }

    /** A process that ends again and again before it has brought anything back does not fill the disk with logs. */
    @Test
    void logsThatAreSetAsideAreBounded() {
        for (int run = 0; run <= Spill.ASIDE_MAX; run++) {
            try (Spill spill = new Spill(directory)) {
                spill.current().append(entry(run, 10));
            }
        }
        assertThatThrownBy(() -> new Spill(directory))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("earlier runs have ended too soon to bring them back");
        assertThatThrownBy(() -> new Spill(directory)).as("the lock was released").hasMessageContaining("set aside");
    }

    @Test
    void directoryThatCannotBeUsedIsNamed() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> new Spill(file)).isInstanceOf(UncheckedIOException.class).hasMessageContaining(file.toString());
    }
}
