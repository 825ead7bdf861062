package dev.tutti.core.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.settings.Settings.Source;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {

    private static final Setting<Duration> HEARTBEAT = Setting.duration(
            "detection.heartbeat", Duration.ofMillis(250), Duration.ofMillis(10), Duration.ofMinutes(1), "How often.");
    private static final Setting<Size> WINDOW =
            Setting.size("window", Size.mebibytes(2), Size.kibibytes(128), Size.mebibytes(512), "Bytes.");
    private static final Setting<Integer> PORT = Setting.count("bind.port", 7800, 0, 65_535, "Port.");
    private static final Settings NONE = Settings.of(List.of(HEARTBEAT, WINDOW, PORT));

    @Test
    void theLaterSourceWinsInWhateverOrder() {
        Settings settings = NONE.with("window", "3 MiB", Source.ENVIRONMENT, "TUTTI_WINDOW")
                .with("window", "1 MiB", Source.FILE, "tutti.yaml:3")
                .with("window", "4 MiB", Source.SYSTEM_PROPERTY, "tutti.window")
                .with("window", "2 MiB", Source.PRESET, "lan");
        assertThat(settings.get(WINDOW)).isEqualTo(Size.mebibytes(4));
        assertThat(settings.source(WINDOW)).isEqualTo(Source.SYSTEM_PROPERTY);
        assertThat(settings.with(WINDOW, Size.mebibytes(5)).get(WINDOW)).isEqualTo(Size.mebibytes(5));
        assertThat(NONE.get(WINDOW)).as("immutable").isEqualTo(Size.mebibytes(2));
        assertThat(NONE.source(WINDOW)).isEqualTo(Source.DEFAULT);
    }

    @Test
    void furtherDefinitionsLeaveWhatIsSetAsItIs() {
        NodeSpec spec = NodeSpec.of(List.of(HEARTBEAT, WINDOW), List.of())
                .withNode(Settings.of(List.of(HEARTBEAT, WINDOW)).with("window", "3 MiB", Source.FILE, "tutti.yaml:3"));
        NodeSpec more = spec.withNodeDefinitions(List.of(WINDOW, PORT));
        assertThat(more.node().definitions()).containsExactly(HEARTBEAT, WINDOW, PORT);
        assertThat(more.node().get(WINDOW)).isEqualTo(Size.mebibytes(3));
        assertThat(more.node().source(WINDOW)).isEqualTo(Source.FILE);
        assertThat(more.node().get(PORT)).isEqualTo(7800);
        assertThat(Settings.of(List.of(PORT)).withAll(more.node()).explicit()).as("of other settings").isEmpty();
    }

    @Test
    void anUnknownNameSuggestsTheNearest() {
        assertThatThrownBy(() -> NONE.with("windwo", "1 MiB", Source.FILE, "tutti.yaml:3"))
                .isInstanceOf(SettingException.class)
                .hasMessage("tutti.yaml:3: there is no setting 'windwo'; did you mean 'window'?");
        assertThatThrownBy(() -> NONE.with("port", "1", Source.FILE, "f")).hasMessageContaining("'bind.port'");
        assertThatThrownBy(() -> NONE.with("zzzzzzzz", "1", Source.FILE, "f"))
                .hasMessageContaining("there are detection.heartbeat, window, bind.port");
    }

    @Test
    void aWrongValueSaysWhereWhatAndWhatWouldBeRight() {
        assertThatThrownBy(() -> NONE.with("detection.heartbeat", "250", Source.FILE, "tutti.yaml:4"))
                .isInstanceOf(SettingException.class)
                .hasMessage("tutti.yaml:4: detection.heartbeat: '250' has no unit; write a duration such as 250 ms or 3 s"
                        + " (duration, 10 ms to 1 min)");
        assertThatThrownBy(() -> NONE.with("window", "1 KiB", Source.FILE, "f")).hasMessageContaining("128 KiB to 512 MiB");
        assertThatThrownBy(() -> NONE.with("window", "1 ms", Source.FILE, "f")).hasMessageContaining("has the unit 'ms'");
        assertThatThrownBy(() -> NONE.with("bind.port", "65536", Source.FILE, "f")).hasMessageContaining("0 to 65535");
        assertThatThrownBy(() -> NONE.with("bind.port", "x", Source.FILE, "f")).hasMessageContaining("whole number");
        assertThatThrownBy(() -> NONE.with("window", "99999999999999999 GiB", Source.FILE, "f"))
                .isInstanceOf(SettingException.class);
    }

    @ParameterizedTest
    @CsvSource({"250 ms,250 ms", "1000ms,1 s", "60 s,1 min", "3600 s,1 h", "0 s,0 ms", "1500 us,1500 us", "7 ns,7 ns"})
    void durationsAreReadAndPrinted(String text, String printed) {
        Duration duration = Durations.parse(text);
        assertThat(Durations.print(duration)).isEqualTo(printed);
        assertThat(Durations.parse(printed)).isEqualTo(duration);
    }

    @ParameterizedTest
    @CsvSource({"64 KiB,64 KiB", "1024 KiB,1 MiB", "100 B,100 B", "2 kB,2000 B", "1 gib,1 GiB", "0 B,0 B"})
    void sizesAreReadAndPrinted(String text, String printed) {
        Size size = Size.parse(text);
        assertThat(size).hasToString(printed);
        assertThat(Size.parse(printed)).isEqualTo(size);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ms", "-1 s", "1.5 s", "1 fortnight", "5", "1234567890123456789 s", "1s s"})
    void whatIsNoDurationIsRefused(String text) {
        assertThatThrownBy(() -> Durations.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "KiB", "-1 B", "1.5 MiB", "5", "1 Mibi"})
    void whatIsNoSizeIsRefused(String text) {
        assertThatThrownBy(() -> Size.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'");
    }

    @Test
    void aGroupHasItsOwnValuesBeforeTheDefaultsOfAll() {
        NodeSpec spec = new NodeSpec(NONE, NONE.with(PORT, 1).with(WINDOW, Size.mebibytes(8)), new java.util.TreeMap<>())
                .withGroup("chat", NONE.with(WINDOW, Size.mebibytes(9)));
        assertThat(spec.group("chat").get(WINDOW)).isEqualTo(Size.mebibytes(9));
        assertThat(spec.group("chat").get(PORT)).isEqualTo(1);
        assertThat(spec.group("other").get(WINDOW)).isEqualTo(Size.mebibytes(8));
    }
}
