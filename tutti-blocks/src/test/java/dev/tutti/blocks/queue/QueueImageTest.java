package dev.tutti.blocks.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.Blocks;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.ViewId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** States of queues in bytes, also ones that no member has written. */
class QueueImageTest {

    private static final Member MEMBER = new Member(new NodeId(7, "n1", "n1:7800"), 1);
    private static final Blocks.Origin ORIGIN = new Blocks.Origin(new ViewId(3, 1, MEMBER), List.of(MEMBER));

    private static Item<String> item(long number, long position) {
        return new Item<>(new TaskId(MEMBER, number), "v", 5, position, 0, null, 0, 0);
    }

    private static QueueImage<String> image(Item<String> one, Item<String> other) {
        return new QueueImage<>(ORIGIN, 9, List.of(), List.of(), List.of(one, other));
    }

    @Test
    void comesBackAsItWas() throws IOException {
        QueueImage<String> image = new QueueImage<>(
                ORIGIN,
                9,
                List.of(new Tasks.Waiter(MEMBER, 4)),
                List.of(new TaskId(MEMBER, 1)),
                List.of(item(2, 3), item(3, 5).heldBy(MEMBER, 3, 7)));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        image.write(Codec.TEXT, out);
        QueueImage<String> read = QueueImage.read(Codec.TEXT, new ByteArrayInputStream(out.toByteArray()), 7);
        assertThat(read.waiters()).isEqualTo(image.waiters());
        assertThat(read.done()).isEqualTo(image.done());
        assertThat(read.tasks().all()).extracting(Item::id).containsExactly(new TaskId(MEMBER, 2), new TaskId(MEMBER, 3));
        assertThat(read.tasks().lastPosition()).isEqualTo(9);
        assertThat(read.tasks().heldSize()).isEqualTo(1);
    }

    @Test
    void taskOrPlaceThatIsThereTwiceIsRefused() {
        assertThatThrownBy(() -> image(item(1, 1), item(1, 2)).tasks())
                .isInstanceOf(MalformedException.class)
                .hasMessage("a state has task n1:7800/1, or its place 2, twice");
        assertThatThrownBy(() -> image(item(1, 1), item(2, 1)).tasks()).isInstanceOf(MalformedException.class);
        Item<String> held = item(2, 1).heldBy(MEMBER, 1, 0);
        assertThatThrownBy(() -> image(held, item(1, 1)).tasks()).isInstanceOf(MalformedException.class);
    }
}
