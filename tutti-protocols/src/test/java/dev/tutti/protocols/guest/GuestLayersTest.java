package dev.tutti.protocols.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.core.Packet;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Guarantee;
import dev.tutti.core.stack.Layer;
import dev.tutti.core.stack.LayerContext;
import dev.tutti.core.stack.LayerProvider;
import dev.tutti.core.stack.Outbox;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.LayerTest;
import java.util.List;
import org.junit.jupiter.api.Test;

class GuestLayersTest {

    private static final Guarantee SEALED = Guarantee.of("sealed");

    /** Membership, reliability, total order, packing. */
    private static final List<List<Guarantee>> TOTAL = List.of(
            List.of(Guarantee.VIEWS),
            List.of(Guarantee.IN_VIEW, Guarantee.RELIABLE, Guarantee.FIFO),
            List.of(Guarantee.TOTAL, Guarantee.APPLICATION),
            List.of(Guarantee.APPLICATION));

    /** Layer of which the name tells where it is. */
    private record Named(String name) implements Layer {

        @Override
        public void onSend(Packet packet, Outbox out) {
            out.send(packet);
        }

        @Override
        public void onReceive(Packet packet, Outbox out) {
            out.deliver(packet);
        }

        @Override
        public void report(Report report) {
            report.put(name, 1);
        }
    }

    private record Guest(
            String name, List<Guarantee> requires, List<Guarantee> provides, int headerBytes, boolean isInCommon, List<Setting<?>> settings)
            implements LayerProvider {

        static Guest of(String name, Guarantee... requires) {
            return new Guest(name, List.of(requires), List.of(), 0, true, List.of());
        }

        Guest providing(Guarantee... provided) {
            return new Guest(name, requires, List.of(provided), headerBytes, isInCommon, settings);
        }

        Guest withHeader(int bytes) {
            return new Guest(name, requires, provides, bytes, isInCommon, settings);
        }

        Guest ofItsOwn() {
            return new Guest(name, requires, provides, headerBytes, false, settings);
        }

        Guest with(Setting<?>... added) {
            return new Guest(name, requires, provides, headerBytes, isInCommon, List.of(added));
        }

        @Override
        public Layer create(LayerContext context) {
            return new Named(name);
        }
    }

    private static GuestLayers place(Guest... guests) {
        return GuestLayers.place("chat", Settings.of(List.of()), TOTAL, List.of(guests));
    }

    /** Returns the names of the stack from the bottom to the top. */
    private static List<String> stack(Guest... guests) {
        List<Layer> own = List.of(new Named("membership"), new Named("reliability"), new Named("order"), new Named("packing"));
        LayerContext context = new LayerContext("chat", LayerTest.member(1), Settings.of(List.of()));
        return place(guests).insert(own, context).stream()
                .map(layer -> new LayerTest(layer).numbers().firstKey())
                .map(path -> path.substring(path.lastIndexOf('.') + 1))
                .toList();
    }

    @Test
    void standAtTheLowestPlaceThatProvidesWhatTheyRequire() {
        assertThat(stack(
                        Guest.of("in-order", Guarantee.TOTAL),
                        Guest.of("anywhere"),
                        Guest.of("of-views", Guarantee.VIEWS),
                        Guest.of("safe", Guarantee.RELIABLE)))
                .containsExactly("anywhere", "membership", "of-views", "reliability", "safe", "order", "in-order", "packing");
    }

    @Test
    void standInTheOrderOfTheirListAtOnePlaceUnlessOneRequiresAnother() {
        assertThat(stack(Guest.of("b"), Guest.of("a"))).startsWith("b", "a", "membership");
        assertThat(stack(Guest.of("b", SEALED), Guest.of("a").providing(SEALED))).startsWith("a", "b", "membership");
    }

    @Test
    void provideWhatALayerOfTuttiWould() {
        assertThat(stack(Guest.of("above", Guarantee.TOTAL), Guest.of("sorts", Guarantee.RELIABLE).providing(Guarantee.TOTAL)))
                .containsExactly("membership", "reliability", "sorts", "above", "order", "packing");
    }

    @Test
    void withHeadersAboveReliabilityStandWhereNoOtherLayerCountsBytes() {
        assertThat(stack(Guest.of("stamp", Guarantee.RELIABLE).withHeader(8)))
                .containsExactly("membership", "reliability", "order", "stamp", "packing");
        assertThat(place(Guest.of("stamp", Guarantee.RELIABLE).withHeader(8), Guest.of("wire").withHeader(3)).countedBytes())
                .isEqualTo(8);
    }

    @Test
    void areRefusedWithWhatIsMissingAndWhatWouldProvideIt() {
        List<List<Guarantee>> unreliable =
                List.of(List.of(Guarantee.VIEWS), List.of(Guarantee.IN_VIEW, Guarantee.APPLICATION), List.of());
        assertThatThrownBy(() -> GuestLayers.place(
                        "chat", Settings.of(List.of()), unreliable, List.of(Guest.of("audit", Guarantee.VIEWS, Guarantee.FIFO))))
                .isInstanceOf(SettingException.class)
                .hasMessage("group 'chat': layer 'audit' requires fifo, which nothing in this group provides;"
                        + " stack: fifo, causal or total would");
        assertThatThrownBy(() -> place(Guest.of("open", SEALED)))
                .hasMessage("group 'chat': layer 'open' requires sealed, which nothing in this group provides;"
                        + " a layer whose provides() names it would");
        assertThatThrownBy(() -> place(
                        Guest.of("a", SEALED).providing(Guarantee.of("x")), Guest.of("b", Guarantee.of("x")).providing(SEALED)))
                .hasMessage("group 'chat': layer 'a' requires sealed, which layer 'b' provides, but that one can't stand below it");
    }

    @Test
    void areRefusedWithBadNamesHeadersAndSettings() {
        assertThatThrownBy(() -> place(Guest.of("Zip"))).hasMessageContaining("a layer is called 'Zip'; a name is");
        assertThatThrownBy(() -> place(Guest.of("zip"), Guest.of("zip"))).hasMessageContaining("layer 'zip' is there twice");
        assertThatThrownBy(() -> place(Guest.of("a").withHeader(20), Guest.of("b").withHeader(13)))
                .hasMessageContaining("take 33 bytes, at most 32");
        assertThatThrownBy(() -> place(Guest.of("a").withHeader(1).ofItsOwn()))
                .hasMessageContaining("only a layer that all members have in common can have any");
        assertThatThrownBy(() -> place(Guest.of("a").with(Setting.text("a.x", "", "X."))))
                .hasMessageContaining("has a setting 'a.x', whose name has to begin with layer.a.");
        assertThatThrownBy(() -> place(Guest.of("a").with(Setting.text("layer.a.x", "x".repeat(250), "X."))))
                .hasMessageContaining("at most 256; name fewer in LayerProvider.settingsInCommon");
    }

    @Test
    void tellWhatAllMembersNeed() {
        Setting<Integer> level = Setting.count("layer.zip.level", 3, 1, 9, "Level.");
        assertThat(place(Guest.of("late", Guarantee.TOTAL), Guest.of("mine").ofItsOwn(), Guest.of("zip").with(level)).inCommon())
                .isEqualTo("layers: zip,late\nlayer.zip.level: 3\n");
        assertThat(place(Guest.of("mine").ofItsOwn()).inCommon()).isEmpty();
    }
}
