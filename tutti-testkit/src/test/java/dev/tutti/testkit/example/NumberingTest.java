package dev.tutti.testkit.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.Packet;
import dev.tutti.core.stack.DropReason;
import dev.tutti.core.stack.Signal;
import dev.tutti.testkit.LayerScenario;
import dev.tutti.testkit.LayerTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A layer tested in both ways, by calls and by a scenario. */
class NumberingTest {

    private static final Path SCENARIO = Path.of("src/test/resources/numbering.txt");

    @TempDir
    Path directory;

    @Test
    void behavesAsTheScenarioSays() {
        scenario(SCENARIO).check(Numbering::new);
    }

    private static LayerScenario scenario(Path file) {
        return LayerScenario.in(file)
                .header(4)
                .signal("n2 is gone", new Signal.Peer.Closed(LayerTest.member(2), true, "said goodbye"));
    }

    @Test
    void announcesItsLastNumberAfterASilence() {
        LayerTest layer = LayerTest.of(new Numbering());
        layer.send(layer.packet("one")).endTurn().advance(Duration.ofMillis(60));
        layer.send(layer.packet("two")).endTurn().advance(Duration.ofMillis(99));
        assertThat(layer.takeSent()).hasSize(2);
        assertThat(layer.armed(Numbering.NumberingTimer.SILENCE)).isEqualTo(Duration.ofMillis(1));
        layer.advance(Duration.ofMillis(1));
        List<Packet> beats = layer.takeSent();
        assertThat(beats).singleElement().satisfies(beat -> assertThat(beat.peekInt(0)).isEqualTo(2));
        assertThat(layer.armed(Numbering.NumberingTimer.SILENCE)).isNull();
    }

    @Test
    void dropsWhatIsTooShortOrOldAndKeepsNoMemory() {
        LayerTest layer = LayerTest.of(new Numbering());
        byte[] hostile = {0, 0, 1};
        layer.receive(LayerTest.member(2), layer.packet(hostile));
        byte[] first = {0, 0, 0, 1, 'x'};
        layer.receive(LayerTest.member(2), layer.packet(first)).receive(LayerTest.member(2), layer.packet(first)).endTurn();
        assertThat(layer.takeDropped()).containsExactly(DropReason.MALFORMED, DropReason.DUPLICATE);
        layer.takeDelivered().forEach(layer::consume);
        assertThat(layer.blocksHeld()).isZero();
        assertThat(layer.report()).containsEntry("numbering.n2.received", "1");
    }

    @Test
    void otherBehaviourThanTheScenarioSaysIsShownWithItsLine() throws IOException {
        Path wrong = directory.resolve("wrong.txt");
        Files.writeString(wrong, "above sends \"a\"\n    sends 00000002 \"a\" to all\n");
        assertThatThrownBy(() -> scenario(wrong).check(Numbering::new))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("wrong.txt:2: the scenario says\n    sends 00000002 \"a\" to all")
                .hasMessageContaining("and the layer does\n    sends 00000001 \"a\" to all")
                .hasMessageContaining("arms timer SILENCE for 100 ms");
    }

    @Test
    void inputsThatAreNoneAreNamed() throws IOException {
        Path wrong = directory.resolve("wrong.txt");
        Files.writeString(wrong, "# first\n\nsomebody sends \"a\"\n");
        assertThatThrownBy(() -> scenario(wrong).check(Numbering::new)).hasMessageContaining("wrong.txt:3: 'somebody sends");
        Files.writeString(wrong, "below signals n9 is gone\n");
        assertThatThrownBy(() -> scenario(wrong).check(Numbering::new))
                .hasMessageContaining("no signal is named 'n9 is gone', only [n2 is gone]");
        Files.writeString(wrong, "timer NOISE goes off\n");
        assertThatThrownBy(() -> scenario(wrong).check(Numbering::new))
                .hasMessageContaining("wrong.txt:1: no timer is named 'NOISE', only [SILENCE]");
        Files.writeString(wrong, "n2 sends 0 \"a\"\n");
        assertThatThrownBy(() -> scenario(wrong).check(Numbering::new)).hasMessageContaining("bytes in hexadecimal");
        Files.writeString(wrong, "above has consumed \"a\"\n");
        assertThatThrownBy(() -> scenario(wrong).check(Numbering::new)).hasMessageContaining("was not delivered");
    }
}
