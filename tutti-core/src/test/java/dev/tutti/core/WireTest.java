package dev.tutti.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The vocabulary on the wire: round trips, golden bytes, hostile bytes. */
class WireTest {

    private static final Member ONE = new Member(new NodeId(0x0102030405060708L, "n1", "h:1"), 7);
    private static final Member TWO = new Member(new NodeId(9, "zwö", "h:2"), 8);
    private static final View VIEW = new View(
            new ViewId(5, 2, ONE),
            List.of(ONE, TWO),
            List.of(
                    new View.Part(new ViewId(3, 1, ONE), List.of(ONE), new TreeMap<>(Map.of(TWO, 4L))),
                    new View.Part(new ViewId(4, 1, TWO), List.of(TWO), new TreeMap<>())));

    private static Packet packet() {
        return Packet.create(Memory.onHeap(), 4_096);
    }

    private static String hex(Packet packet) {
        byte[] bytes = new byte[packet.length()];
        packet.bytes().get(packet.offset(), bytes);
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void aViewRecordComesBackAsItWas() {
        Packet packet = packet();
        Wire.append(packet, VIEW);
        View back = Wire.takeView(packet, new Members());
        assertThat(packet.isMalformed()).isFalse();
        assertThat(packet.isEmpty()).isTrue();
        assertThat(back.id()).isEqualTo(VIEW.id());
        assertThat(back.members()).isEqualTo(VIEW.members());
        assertThat(back.parts()).isEqualTo(VIEW.parts());
        assertThat(back.members().getLast().name()).isEqualTo("zwö");
    }

    /** Texts of members that are known are not read again: one that lies could give another one a wrong address for good. */
    @Test
    void memberThatIsMetIsWhatItSaysItself() {
        Members known = new Members();
        Packet lie = packet();
        Wire.append(lie, new Member(new NodeId(ONE.node().incarnation(), "n2", "h:9"), ONE.join()));
        assertThat(Wire.takeMember(lie, known)).isNotEqualTo(ONE);
        known.add(ONE);
        Packet truth = packet();
        Wire.append(truth, ONE);
        assertThat(Wire.takeMember(truth, known)).isSameAs(ONE);
    }

    @Test
    void goldenBytesOfAMemberAndAViewId() {
        Packet packet = packet();
        Wire.append(packet, new ViewId(5, 2, ONE));
        assertThat(hex(packet))
                .isEqualTo("0000000000000005" + "00000002" + "0102030405060708" + "00000002" + "6e31" + "00000003"
                        + "683a31" + "00000007");
    }

    @Test
    void goldenBytesOfAViewRecord() {
        Member small = new Member(new NodeId(1, "", ""), 2);
        String member = "0000000000000001" + "00000000" + "00000000" + "00000002";
        View view = new View(
                new ViewId(2, 1, small),
                List.of(small),
                List.of(new View.Part(new ViewId(1, 1, small), List.of(small), new TreeMap<>(Map.of(small, 6L)))));
        Packet packet = packet();
        Wire.append(packet, view);
        assertThat(hex(packet))
                .isEqualTo("0000000000000002" + "00000001" + member + "00000001" + member + "00000000" + "00000001"
                        + "0000000000000001" + "00000001" + member + "00000001" + "00000000" + "00000001" + member
                        + "0000000000000006");
    }

    @Test
    void aNewcomerIsItsRankInAViewRecord() {
        View whole = new View(
                new ViewId(2, 1, ONE),
                List.of(ONE, TWO),
                List.of(
                        new View.Part(new ViewId(1, 1, TWO), List.of(TWO), new TreeMap<>()),
                        new View.Part(new ViewId(1, 1, ONE), List.of(ONE), new TreeMap<>())));
        Packet packet = packet();
        Wire.append(packet, whole);
        assertThat(hex(packet)).endsWith("00000002" + "00000001" + "00000000" + "00000000");
        assertThat((long) packet.length()).isLessThanOrEqualTo(Wire.bytesMax(whole));
        assertThat(Wire.takeView(packet, new Members()).parts()).isEqualTo(whole.parts());
    }

    @Test
    void aRankThatNobodyHasIsMalformed() {
        Packet packet = packet();
        Wire.append(packet, new ViewId(2, 1, ONE));
        Wire.append(packet, List.of(ONE, TWO));
        packet.appendInt(1).appendInt(2).appendInt(0);
        assertThat(Wire.takeView(packet, new Members()).parts()).isEmpty();
        assertThat(packet.isMalformed()).isTrue();
    }

    @Test
    void noMessageIsLongerThanItWasThoughtToBe() {
        Packet packet = packet();
        Wire.append(packet, VIEW);
        assertThat((long) packet.length()).isLessThanOrEqualTo(Wire.bytesMax(VIEW));
        Packet vector = packet();
        TreeMap<Member, Long> numbers = new TreeMap<>(Map.of(ONE, 3L, TWO, 0L));
        Wire.append(vector, numbers);
        assertThat((long) vector.length()).isLessThanOrEqualTo(Wire.bytesMax(numbers));
        assertThat(Wire.takeVector(vector, new Members())).as("a zero is as good as nothing").containsOnlyKeys(ONE);
    }

    @Test
    void goldenBytesOfATag() {
        Packet packet = packet();
        Wire.prependTag(packet, new ViewId(5, 2, ONE));
        assertThat(hex(packet)).isEqualTo("0000000000000005" + "00000002" + "0102030405060708" + "00000007");
        assertThat(packet.length()).isEqualTo(Wire.TAG_BYTES);
    }

    @Test
    void everyTruncationIsMalformed() {
        Packet view = packet();
        Wire.append(view, VIEW);
        Packet vector = packet();
        Wire.append(vector, new TreeMap<>(Map.of(ONE, 3L, TWO, 4L)));
        Packet members = packet();
        Wire.append(members, List.of(ONE, TWO));
        check(view, packet -> Wire.takeView(packet, new Members()));
        check(vector, packet -> Wire.takeVector(packet, new Members()));
        check(members, packet -> Wire.takeMembers(packet, new Members()));
    }

    private static void check(Packet whole, Function<Packet, Object> decoder) {
        for (int length = 0; length < whole.length(); length++) {
            Packet truncated = packet().append(whole.bytes(), whole.offset(), length);
            assertThat(decoder.apply(truncated)).isNotNull();
            assertThat(truncated.isMalformed()).as("%s of %s bytes", length, whole.length()).isTrue();
        }
        assertThat(decoder.apply(whole)).isNotNull();
        assertThat(whole.isMalformed()).isFalse();
    }

    @Test
    void countsThatLieAllocateNothing() {
        for (int count : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 28, 1}) {
            Packet members = packet().appendInt(count);
            assertThat(Wire.takeMembers(members, new Members())).isEmpty();
            assertThat(members.isMalformed()).isTrue();
            Packet vector = packet().appendInt(count).appendLong(0);
            assertThat(Wire.takeVector(vector, new Members())).isEmpty();
            assertThat(vector.isMalformed()).isTrue();
            Packet text = packet().appendInt(count);
            assertThat(text.takeText()).isEmpty();
            assertThat(text.isMalformed()).isTrue();
        }
    }

    @Test
    void aNegativeNumberInAVectorIsMalformed() {
        Packet packet = packet();
        Wire.append(packet, new TreeMap<>(Map.of(ONE, -1L)));
        Wire.takeVector(packet, new Members());
        assertThat(packet.isMalformed()).isTrue();
    }

    @Test
    void aNameThatIsTooLongIsMalformed() {
        Packet packet = packet().appendLong(1).appendText("x".repeat(256)).appendText("h:1").appendInt(1);
        assertThat(Wire.takeMember(packet, new Members()).name()).isEqualTo("nobody");
        assertThat(packet.isMalformed()).isTrue();
    }

    @Test
    void aViewOfNobodyIsMalformed() {
        Packet packet = packet();
        Wire.append(packet, new ViewId(1, 1, ONE));
        packet.appendInt(0).appendInt(0).appendInt(0);
        assertThat(Wire.takeView(packet, new Members()).members()).hasSize(1);
        assertThat(packet.isMalformed()).isTrue();
    }

    @Test
    void randomBytesNeverThrow() {
        SplittableRandom random = new SplittableRandom(5);
        int malformed = 0;
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = new byte[random.nextInt(200)];
            for (int index = 0; index < bytes.length; index++) {
                bytes[index] = (byte) (random.nextInt(4) == 0 ? random.nextInt(256) : 0);
            }
            Packet packet = packet().append(bytes, 0, bytes.length);
            Wire.takeView(packet, new Members());
            malformed += packet.isMalformed() ? 1 : 0;
        }
        assertThat(malformed).isGreaterThan(15_000);
    }
}
