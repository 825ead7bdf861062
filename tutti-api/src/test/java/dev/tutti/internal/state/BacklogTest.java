package dev.tutti.internal.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.Receipt;
import dev.tutti.internal.delivery.Item;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Items that wait for the state come back in order, whole, from memory and from the file, and have a limit. */
class BacklogTest {

    private static final Member SENDER = new Member(new NodeId(1, "n1", "n1:1"), 1);
    private static final Receipt RECEIPT = () -> true;

    @TempDir
    private Path directory;

    private Backlog backlog(int memoryBlocks, int fileBlocks) {
        return new Backlog(new Backlog.Limits(
                (long) memoryBlocks * Backlog.BLOCK_BYTES, (long) fileBlocks * Backlog.BLOCK_BYTES, directory));
    }

    private static Packet packet(byte[] content) {
        return Packet.create(Memory.onHeap(), content.length)
                .append(content, 0, content.length)
                .withPeer(SENDER)
                .withReceipt(RECEIPT);
    }

    private static byte[] bytes(Packet packet) {
        byte[] bytes = new byte[packet.length()];
        packet.bytes().get(packet.offset(), bytes);
        return bytes;
    }

    private static Item marker(String text) {
        return new Item.Suspended(text);
    }

    private static Packet pollPacket(Backlog backlog) {
        if (backlog.poll() instanceof Item.Arrival(Packet packet)) {
            return packet;
        }
        throw new AssertionError("no packet");
    }

    private static byte[] content(int number) {
        byte[] content = new byte[60_000];
        new SplittableRandom(number).nextBytes(content);
        return content;
    }

    private long files() throws IOException {
        try (Stream<Path> found = Files.list(directory)) {
            return found.count();
        }
    }

    @Test
    void packetAtTheEdgeOfABlockIsKeptWhole() {
        int header = 8;
        byte[] content = content(0);
        for (int left = 0; left <= 3 * header; left++) {
            Backlog backlog = backlog(2, 0);
            int added = 0;
            int room = Backlog.BLOCK_BYTES;
            while (room - 2 * (header + content.length) > left) {
                assertThat(backlog.add(packet(content))).isTrue();
                room -= header + content.length;
                added++;
            }
            assertThat(backlog.add(packet(Arrays.copyOf(content, room / 2 - header)))).isTrue();
            room -= room / 2;
            assertThat(backlog.add(packet(Arrays.copyOf(content, room - left - header)))).isTrue();
            byte[] edge = {1, 2, 3, 4, 5, 6};
            assertThat(backlog.add(packet(edge))).as("%d bytes are left", left).isTrue();
            for (int index = 0; index < added + 2; index++) {
                assertThat(backlog.poll()).isInstanceOf(Item.Arrival.class);
            }
            assertThat(bytes(pollPacket(backlog))).isEqualTo(edge);
            assertThat(backlog.poll()).isNull();
        }
    }

    @Test
    void keepsPacketsAndMarkersInOrder() {
        Backlog backlog = backlog(2, 0);
        backlog.addMarker(marker("first"));
        assertThat(backlog.add(packet("hello".getBytes(StandardCharsets.UTF_8)))).isTrue();
        backlog.addMarker(marker("last"));
        assertThat(backlog.poll()).isEqualTo(marker("first"));
        Packet packet = pollPacket(backlog);
        assertThat(bytes(packet)).asString(StandardCharsets.UTF_8).isEqualTo("hello");
        assertThat(packet.peer()).isEqualTo(SENDER);
        assertThat(packet.receipt()).as("pieces of a large message go on with those that come later").isSameAs(RECEIPT);
        assertThat(backlog.poll()).isEqualTo(marker("last"));
        assertThat(backlog.poll()).isNull();
        assertThat(backlog.bytes()).isZero();
    }

    @Test
    void spillsBeyondItsMemoryAndBringsItBack() throws IOException {
        Backlog backlog = backlog(2, 100);
        for (int number = 0; number < 500; number++) {
            assertThat(backlog.add(packet(content(number)))).isTrue();
        }
        assertThat(backlog.bytes()).isEqualTo(30_000_000);
        assertThat(backlog.fileBytes()).isGreaterThan(25_000_000);
        for (int number = 0; number < 500; number++) {
            assertThat(bytes(pollPacket(backlog))).isEqualTo(content(number));
        }
        assertThat(backlog.isEmpty()).isTrue();
        assertThat(files()).as("files left behind, also by a process that is killed").isZero();
    }

    @Test
    void staysInOrderWhateverComesAndGoes() {
        Backlog backlog = backlog(2, 6);
        SplittableRandom random = new SplittableRandom(7);
        ArrayDeque<Object> expected = new ArrayDeque<>();
        int refused = 0;
        int number = 0;
        for (int step = 0; step < 4_000; step++) {
            boolean isFilling = step / 400 % 2 == 0;
            if (random.nextInt(10) < (isFilling ? 7 : 3)) {
                number++;
                if (random.nextInt(50) == 0) {
                    Item marker = marker(String.valueOf(number));
                    backlog.addMarker(marker);
                    expected.add(marker);
                } else if (backlog.add(packet(content(number % 100)))) {
                    expected.add(content(number % 100));
                } else {
                    refused++;
                }
            } else {
                Object next = backlog.poll();
                Object wanted = expected.poll();
                assertThat(next instanceof Item.Arrival(Packet packet) ? bytes(packet) : next).isEqualTo(wanted);
            }
            assertThat(backlog.fileBytes()).isLessThanOrEqualTo(6L * Backlog.BLOCK_BYTES);
        }
        assertThat(refused).as("times that there was no room").isPositive();
        backlog.clear();
    }

    @Test
    void takesNoMoreThanItsLimitsAndSaysWhy() {
        Backlog backlog = backlog(2, 3);
        int taken = 0;
        while (backlog.add(packet(content(taken)))) {
            taken++;
        }
        assertThat(taken * 60_000L).isBetween(4L * Backlog.BLOCK_BYTES, 6L * Backlog.BLOCK_BYTES);
        assertThat(backlog.full()).contains("state.held-file (3145728 bytes) is full");
        backlog.addMarker(marker("a view"));
        while (backlog.bytes() > 1_000_000) {
            backlog.poll();
        }
        assertThat(backlog.add(packet(content(1)))).as("room again").isTrue();
        assertThat(backlog.full()).isEmpty();
        backlog.clear();
    }

    @Test
    void fileThatCantBeWrittenIsAFullOne() {
        Backlog backlog =
                new Backlog(new Backlog.Limits(2L * Backlog.BLOCK_BYTES, 1L << 30, directory.resolve("nowhere")));
        int taken = 0;
        while (backlog.add(packet(content(taken)))) {
            taken++;
        }
        assertThat(backlog.full()).isEqualTo("the file of waiting messages can't be written");
        for (int number = 0; number < taken; number++) {
            assertThat(bytes(pollPacket(backlog))).as("nothing of what was taken is lost").isEqualTo(content(number));
        }
    }
}
