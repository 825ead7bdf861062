package dev.tutti.protocols.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.stack.DropReason;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class CausalTest {

    private final OrderScene scene = new OrderScene(3, self -> new Causal(self));

    @Test
    void answerWaitsForItsQuestion() {
        scene.seat(1).send("question");
        scene.pass(1, 2);
        scene.seat(2).send("answer");
        scene.pass(2, 3);
        scene.pass(2, 3);
        assertThat(scene.seat(3).delivered()).isEmpty();
        scene.pass(1, 3);
        assertThat(scene.seat(3).delivered()).containsExactly("question", "answer");
    }

    @Test
    void whatDoesNotFollowIsNotWaitedFor() {
        scene.seat(1).send("a");
        scene.seat(2).send("b");
        scene.pass(2, 3);
        assertThat(scene.seat(3).delivered()).containsExactly("b");
    }

    @Test
    void clockIsToldOnlyWhenItHasChanged() {
        scene.seat(1).send("a");
        assertThat(scene.seat(1).controls()).as("nothing came before").isZero();
        scene.pass(1, 2);
        scene.seat(2).send("b");
        scene.seat(2).send("c");
        assertThat(scene.seat(2).controls()).isEqualTo(1);
        scene.passAll();
        assertThat(scene.seat(3).controls()).as("who only receives says nothing").isZero();
        assertThat(scene.seat(3).delivered()).containsExactly("a", "b", "c");
    }

    @Test
    void clockCountsForWhatComesAfterIt() {
        scene.seat(2).send("b");
        scene.seat(1).send("a");
        scene.pass(1, 2);
        scene.seat(2).send("c");
        scene.pass(2, 3);
        assertThat(scene.seat(3).delivered()).as("sent before a was delivered").containsExactly("b");
        scene.pass(2, 3);
        scene.pass(2, 3);
        assertThat(scene.seat(3).delivered()).isEmpty();
        scene.pass(1, 3);
        assertThat(scene.seat(3).delivered()).containsExactly("a", "c");
    }

    @Test
    void whatFollowsFromSomethingThatIsLostIsLostToo() {
        scene.seat(1).send("lost");
        scene.pass(1, 2);
        scene.seat(2).send("follows");
        scene.pass(2, 3);
        scene.pass(2, 3);
        scene.seat(3).send("other");
        scene.freeze();
        scene.install();
        assertThat(scene.seat(3).delivered()).containsExactly("other");
        assertThat(scene.seat(3).layer.dropped).containsExactly(DropReason.CAUSE_LOST);
        scene.seat(2).send("next");
        scene.passAll();
        assertThat(scene.seat(3).delivered()).containsExactly("next");
    }

    @Test
    void clockThatNobodyCanHaveIsRefused() {
        byte[] clock = {1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1};
        byte[] nobody = clock.clone();
        nobody[4] = 3;
        scene.receive(3, 1, nobody);
        byte[] negative = clock.clone();
        negative[5] = (byte) 0x80;
        scene.receive(3, 1, negative);
        byte[] own = clock.clone();
        own[4] = 0;
        scene.receive(3, 1, own);
        scene.receive(3, 1, Arrays.copyOf(clock, 12));
        scene.receive(3, 1, new byte[0]);
        assertThat(scene.seat(3).layer.dropped).containsOnly(DropReason.MALFORMED).hasSize(5);
    }
}
