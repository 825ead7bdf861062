package dev.tutti.blocks.component;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.GroupState;
import dev.tutti.Snapshot;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codecs;
import dev.tutti.blocks.component.PassiveCommand.Ask;
import dev.tutti.blocks.component.PassiveCommand.Done;
import dev.tutti.blocks.component.PassiveCommand.RequestId;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;

/** An execution counts once, on the version that it was made on. */
class PassiveMachineTest {

    /** Interface of a component. */
    public interface Word {
        void set(String word);
    }

    private static final class WordState implements Word, GroupState {

        private String word = "";

        @Override
        public void set(String next) {
            word = next;
        }

        @Override
        public Snapshot snapshot() {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            return out -> out.write(bytes);
        }

        @Override
        public void install(InputStream in) throws IOException {
            word = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static final NodeId NODE = new NodeId(1, "n1", "10.0.0.1:7800");
    private static final Member SELF = new Member(NODE, 1);
    private static final Member OTHER = new Member(new NodeId(2, "n2", "10.0.0.2:7800"), 1);

    private final Methods methods = new Methods("word", Word.class, Codecs.standard());
    private final List<String> told = new ArrayList<>();
    private final PassiveMachine machine = new PassiveMachine("word", NODE, methods, WordState::new, new PassiveMachine.Listener() {
        @Override
        public void onAsked(long number) {
            told.add("asked " + number);
        }

        @Override
        public void onDone(Done done) {
            told.add("done " + done.request().number());
        }

        @Override
        public void onReplaced(LongPredicate isWaiting) {
            told.add("replaced, 1 " + isWaiting.test(1) + ", 2 " + isWaiting.test(2));
        }

        @Override
        public void onWork() {
            // Nothing is executed here.
        }
    });

    PassiveMachineTest() {
        machine.onView(View.alone(SELF));
    }

    private Invocation set(String word) throws NoSuchMethodException {
        return new Invocation(methods.of(Word.class.getMethod("set", String.class)), new Object[] {word});
    }

    private static Done done(Member member, long number, long version, String image) {
        return new Done(new RequestId(member, number), version, false, new byte[0], image.getBytes(StandardCharsets.UTF_8));
    }

    private String word() {
        return ((WordState) machine.readable()).word;
    }

    @Test
    void theFirstExecutionOfARequestCounts() throws NoSuchMethodException {
        machine.apply(SELF, new Ask(1, set("a")));
        machine.apply(OTHER, new Ask(1, set("b")));
        machine.apply(SELF, done(SELF, 1, 0, "a"));
        // Two members took themselves for the primary: the same request again, and another one on a state that is no longer there.
        machine.apply(OTHER, done(SELF, 1, 1, "a a"));
        machine.apply(OTHER, done(OTHER, 1, 0, "b"));
        assertThat(word()).isEqualTo("a");
        assertThat(machine.version()).isOne();
        assertThat(machine.waitingRequests()).isOne();
        machine.apply(OTHER, done(OTHER, 1, 1, "b"));
        assertThat(word()).isEqualTo("b");
        assertThat(told).containsExactly("asked 1");
        machine.onStable();
        assertThat(told).containsExactly("asked 1", "done 1");
    }

    @Test
    void anotherStateGoesOnWithTheRequestsThatWaitInIt() throws Exception {
        machine.apply(SELF, new Ask(1, set("a")));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Snapshot snapshot = machine.snapshot()) {
            snapshot.write(out);
        }
        machine.apply(SELF, new Ask(2, set("b")));
        machine.apply(SELF, done(SELF, 1, 0, "a"));
        machine.install(new ByteArrayInputStream(out.toByteArray()));
        assertThat(word()).isEmpty();
        assertThat(machine.waitingRequests()).isOne();
        machine.onStable();
        assertThat(told).containsExactly("asked 1", "asked 2", "replaced, 1 true, 2 false");
        assertThat(machine.next()).isNotNull().satisfies(work -> assertThat(work.request()).isEqualTo(new RequestId(SELF, 1)));
    }

    @Test
    void requestsBeyondTheBoundFail() throws NoSuchMethodException {
        for (long number = 1; number <= PassiveMachine.WAITING_MAX; number++) {
            machine.apply(OTHER, new Ask(number, set("x")));
        }
        assertThatThrownBy(() -> machine.apply(SELF, new Ask(1, set("y"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("10000 requests wait for the primary of component word");
        assertThat(machine.waitingRequests()).isEqualTo(PassiveMachine.WAITING_MAX);
    }

    @Test
    void aStateThatIsNotOneIsRefused() {
        byte[] header = new ByteOutput().putText(methods.fingerprint()).putLong(1).putInt(7).copy();
        byte[] state = new ByteOutput().putInt(header.length).putRaw(header, 0, header.length).copy();
        assertThatThrownBy(() -> machine.install(new ByteArrayInputStream(state)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the state of component word can't be read: a count of 7");
        assertThatThrownBy(() -> machine.install(new ByteArrayInputStream(new byte[] {0, 0, 1, 0, 1})))
                .isInstanceOf(IOException.class)
                .hasMessage("a header of 256 bytes ends after 1");
        assertThat(machine.version()).isZero();
    }
}
