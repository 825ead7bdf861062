package dev.tutti.protocols.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.settings.Size;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings of two members are compared by meaning, across versions too. */
class StackFingerprintTest {

    private static final Settings DEFAULTS = Settings.of(GroupSettings.ALL);

    private static <T> Settings with(Setting<T> setting, T value) {
        return DEFAULTS.with(setting, value);
    }

    private static String difference(Settings here, String there) {
        return StackFingerprint.of(here, "").difference(new StackFingerprint(there), "n2");
    }

    @Test
    void firstVersionIsWrittenWithoutMarks() {
        StackFingerprint defaults = StackFingerprint.of(with(GroupSettings.WINDOW, Size.mebibytes(4)), "");
        assertThat(defaults.text(1)).isEqualTo("stack: fifo\nwindow: 4 MiB\n");
        assertThat(defaults.text(2)).isEqualTo("~stack: fifo\nwindow: 4 MiB\n");
        assertThat(defaults.describe()).isEqualTo("stack: fifo, window: 4 MiB");
    }

    @ParameterizedTest
    @CsvSource({"1 MiB", "1024 KiB", "1048576 B"})
    void differentSpellingsOfAValueAreTheSame(String window) {
        assertThat(difference(DEFAULTS, "stack: fifo\nwindow: " + window + "\n")).isNull();
        assertThat(difference(DEFAULTS, "~window: " + window + "\n~stack: FIFO\n")).isNull();
    }

    @Test
    void differentValuesAreBothNamed() {
        assertThat(difference(DEFAULTS, "stack: fifo\nwindow: 1025 KiB\n"))
                .isEqualTo("stack differs: window is 1 MiB here and 1025 KiB at n2");
    }

    @Test
    void missingSettingHasItsDefault() {
        assertThat(difference(DEFAULTS, "")).isNull();
        assertThat(difference(with(GroupSettings.DISSEMINATION, GroupSettings.Dissemination.RING), "stack: fifo\nwindow: 1 MiB\n"))
                .isEqualTo("stack differs: dissemination is ring here and fan-out at n2");
        assertThat(difference(DEFAULTS, "stack: fifo\nwindow: 1 MiB\ndissemination: ring\n"))
                .isEqualTo("stack differs: dissemination is fan-out here and ring at n2");
        assertThat(difference(DEFAULTS, "stack: fifo\nwindow: 1 MiB\ndissemination: fan-out\n")).isNull();
    }

    @Test
    void settingOfALaterVersionIsNoDifferenceWithItsDefault() {
        assertThat(difference(DEFAULTS, "~stack: fifo\n~window: 1 MiB\n~shape: round\n")).isNull();
        assertThat(difference(DEFAULTS, "~stack: fifo\n~window: 1 MiB\nshape: square\n"))
                .isEqualTo("stack differs: shape is square at n2, and this node does not know that setting");
    }

    @Test
    void settingThatDeterminesTheOthersIsNamedFirst() {
        Settings total = with(GroupSettings.STACK, GroupSettings.StackKind.TOTAL).with(GroupSettings.DISSEMINATION, GroupSettings.Dissemination.RING);
        assertThat(difference(total, "~stack: fifo\n~window: 1 MiB\n")).isEqualTo("stack differs: stack is total here and fifo at n2");
        Settings primary = with(GroupSettings.PARTITION, GroupSettings.Partition.PRIMARY).with(GroupSettings.FOUNDERS, List.of("a", "b"));
        assertThat(difference(primary, "~stack: fifo\n~window: 1 MiB\n")).isEqualTo("stack differs: partition is primary here and each-side at n2");
    }

    @Test
    void orderOfFoundersHasNoMeaning() {
        Settings primary = with(GroupSettings.PARTITION, GroupSettings.Partition.PRIMARY).with(GroupSettings.FOUNDERS, List.of("a", "b", "c"));
        assertThat(difference(primary, "~stack: fifo\n~window: 1 MiB\npartition: primary\nfounders: c, a,b\n")).isNull();
        assertThat(difference(primary, "~stack: fifo\n~window: 1 MiB\npartition: primary\nfounders: a,b\n"))
                .isEqualTo("stack differs: founders is a,b,c here and a,b at n2");
    }

    @Test
    void layersOfTheUsersOwnHaveAnOrderAndSettings() {
        String layers = "layers: zip,seal\nlayer.zip.level: 3\n";
        StackFingerprint here = StackFingerprint.of(DEFAULTS, layers);
        // The window is spelled differently, so that the texts differ.
        String start = "~stack: fifo\n~window: 1024 KiB\n";
        assertThat(here.difference(new StackFingerprint(start + layers), "n2")).isNull();
        assertThat(here.difference(new StackFingerprint(start + "layers: seal,zip\nlayer.zip.level: 3\n"), "n2"))
                .isEqualTo("stack differs: layers is zip,seal here and seal,zip at n2");
        assertThat(here.difference(new StackFingerprint(start + "layers: zip,seal\nlayer.zip.level: 4\n"), "n2"))
                .isEqualTo("stack differs: layer.zip.level is 3 here and 4 at n2");
        assertThat(here.difference(new StackFingerprint(start + "layers: zip,seal\n"), "n2"))
                .isEqualTo("stack differs: layer.zip.level is 3 here, and n2 does not know that setting");
        assertThat(here.difference(new StackFingerprint(start), "n2")).isEqualTo("stack differs: layers is zip,seal here and none at n2");
    }

    @Test
    void valueThatOnlyAnotherVersionAcceptsIsADifference() {
        assertThat(difference(DEFAULTS, "~stack: quantum\n")).isEqualTo("stack differs: stack is fifo here and quantum at n2");
    }

    @Test
    void garbageIsNoSetting() {
        assertThat(difference(DEFAULTS, "~\n: \n~: x\nnothing\n\n")).isNull();
    }
}
