package dev.tutti.protocols.packing;

import static dev.tutti.protocols.LayerTest.member;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.Receipt;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AssembliesTest {

    private static final int LIMIT = 1_000;

    private final Assemblies assemblies = new Assemblies(new SpareArrays(0), LIMIT, true);
    private int number;

    private static Receipt stream(boolean isUnicast) {
        // Each is a stream of its own.
        return new Receipt() {
            @Override
            public boolean isUnicast() {
                return isUnicast;
            }
        };
    }

    private static @Nullable ByteBuffer add(
            Assemblies to, int sender, Receipt stream, int number, int total, int at, int length) {
        return to.add(
                member(sender), stream, ByteBuffer.allocate(length), 0, length, new Records.Piece(number, total, at));
    }

    private @Nullable ByteBuffer add(int sender, Receipt stream, int total, int at, int length) {
        number += at == 0 ? 1 : 0;
        return add(assemblies, sender, stream, number, total, at, length);
    }

    private static View view(int... members) {
        List<Member> list = IntStream.of(members).mapToObj(each -> member(each)).toList();
        return new View(new ViewId(3, 1, member(members[0])), list, List.of());
    }

    @Test
    void streamsAreApart() {
        Receipt first = stream(false);
        Receipt second = stream(true);
        assertThat(add(assemblies, 1, first, 1, 100, 0, 50)).isNull();
        assertThat(add(assemblies, 1, second, 2, 100, 0, 50)).isNull();
        assertThat(assemblies.bytes()).isEqualTo(200);
        assertThat(add(assemblies, 1, first, 1, 100, 50, 50)).isNotNull();
        assertThat(add(assemblies, 1, second, 2, 100, 50, 50)).isNotNull();
        assertThat(assemblies.bytes()).isZero();
        assertThat(assemblies.bytesMost()).isEqualTo(200);
        assertThat(assemblies.abandoned()).isZero();
    }

    @Test
    void viewEndsMulticastsAndUnicastsOfThoseWhoAreGone() {
        Receipt toOne = stream(true);
        add(2, stream(false), 100, 0, 50);
        add(3, stream(true), 100, 0, 50);
        add(assemblies, 2, toOne, 9, 100, 0, 50);
        assemblies.startView(view(1, 2));
        assertThat(assemblies.bytes()).isEqualTo(100);
        assertThat(assemblies.abandoned()).isEqualTo(2);
        assertThat(add(assemblies, 2, toOne, 9, 100, 50, 50)).as("a unicast goes on").isNotNull();
    }

    @Test
    void newStreamOfAMemberEndsItsFormerOne() {
        add(2, stream(true), 100, 0, 50);
        add(2, stream(false), 100, 0, 50);
        add(3, stream(true), 100, 0, 50);
        add(2, stream(true), 100, 0, 50);
        assertThat(assemblies.bytes()).isEqualTo(300);
        assertThat(assemblies.abandoned()).isEqualTo(1);
    }

    @Test
    void emptyPieceAtTheEndGivesUpTheHalf() {
        Receipt stream = stream(false);
        add(assemblies, 2, stream, 1, 100, 0, 50);
        assertThat(add(assemblies, 2, stream, 1, 100, 100, 0)).isNull();
        assertThat(assemblies.bytes()).isZero();
        assertThat(assemblies.abandoned()).isEqualTo(1);
        add(assemblies, 2, stream, 1, 100, 100, 0);
        assertThat(assemblies.abandoned()).as("once").isEqualTo(1);
    }

    @Test
    void messageThatIsTooLargeTakesNoMemory() {
        assertThat(assemblies.isTooLarge(new Records.Piece(1, LIMIT, 0))).isFalse();
        assertThat(assemblies.isTooLarge(new Records.Piece(1, LIMIT + 1, 0))).isTrue();
        assertThat(add(2, stream(false), LIMIT + 1, 0, 500)).isNull();
        assertThat(assemblies.bytesMost()).isZero();
    }

    @Test
    void unreliableGroupGivesUpWhatWasBegunFirst() {
        Assemblies unreliable = new Assemblies(new SpareArrays(0), LIMIT, false);
        Receipt second = stream(false);
        add(unreliable, 1, stream(false), 1, 600, 0, 300);
        add(unreliable, 2, second, 1, 300, 0, 100);
        assertThat(unreliable.abandoned()).isZero();
        add(unreliable, 3, stream(false), 1, 600, 0, 300);
        assertThat(unreliable.abandoned()).isEqualTo(1);
        assertThat(add(unreliable, 2, second, 1, 300, 100, 200)).as("the later one is left").isNotNull();
    }
}
