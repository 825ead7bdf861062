package dev.tutti.protocols.added;

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

class AddedLayersTest {

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

    private record TestLayer(
            String name, List<Guarantee> requires, List<Guarantee> provides, int headerBytes, boolean isInCommon, List<Setting<?>> settings)
            implements LayerProvider {

        static TestLayer of(String name, Guarantee... requires) {
            return new TestLayer(name, List.of(requires), List.of(), 0, true, List.of());
        }

        TestLayer providing(Guarantee... provided) {
            return new TestLayer(name, requires, List.of(provided), headerBytes, isInCommon, settings);
        }

        TestLayer withHeader(int bytes) {
            return new TestLayer(name, requires, provides, bytes, isInCommon, settings);
        }

        TestLayer ofItsOwn() {
            return new TestLayer(name, requires, provides, headerBytes, false, settings);
        }

        TestLayer with(Setting<?>... added) {
            return new TestLayer(name, requires, provides, headerBytes, isInCommon, List.of(added));
        }

        @Override
        public Layer create(LayerContext context) {
            return new Named(name);
        }
    }

    private static AddedLayers place(TestLayer... added) {
        return AddedLayers.place("chat", Settings.of(List.of()), TOTAL, List.of(added));
    }

    /** Returns the names of the stack from the bottom to the top. */
    private static List<String> stack(TestLayer... added) {
        List<Layer> own = List.of(new Named("membership"), new Named("reliability"), new Named("order"), new Named("packing"));
        LayerContext context = new LayerContext("chat", LayerTest.member(1), Settings.of(List.of()));
        return place(added).insert(own, context).stream()
                .map(layer -> new LayerTest(layer).numbers().firstKey())
                .map(path -> path.substring(path.lastIndexOf('.') + 1))
                .toList();
    }

    @Test
    void standAtTheLowestPlaceThatProvidesWhatTheyRequire() {
        assertThat(stack(
                        TestLayer.of("in-order", Guarantee.TOTAL),
                        TestLayer.of("anywhere"),
                        TestLayer.of("of-views", Guarantee.VIEWS),
                        TestLayer.of("safe", Guarantee.RELIABLE)))
                .containsExactly("anywhere", "membership", "of-views", "reliability", "safe", "order", "in-order", "packing");
    }

    @Test
    void standInTheOrderOfTheirListAtOnePlaceUnlessOneRequiresAnother() {
        assertThat(stack(TestLayer.of("b"), TestLayer.of("a"))).startsWith("b", "a", "membership");
        assertThat(stack(TestLayer.of("b", SEALED), TestLayer.of("a").providing(SEALED))).startsWith("a", "b", "membership");
    }

    @Test
    void provideWhatALayerOfTuttiWould() {
        assertThat(stack(TestLayer.of("above", Guarantee.TOTAL), TestLayer.of("sorts", Guarantee.RELIABLE).providing(Guarantee.TOTAL)))
                .containsExactly("membership", "reliability", "sorts", "above", "order", "packing");
    }

    @Test
    void withHeadersAboveReliabilityStandWhereNoOtherLayerCountsBytes() {
        assertThat(stack(TestLayer.of("stamp", Guarantee.RELIABLE).withHeader(8)))
                .containsExactly("membership", "reliability", "order", "stamp", "packing");
        assertThat(place(TestLayer.of("stamp", Guarantee.RELIABLE).withHeader(8), TestLayer.of("wire").withHeader(3)).countedBytes())
                .isEqualTo(8);
    }

    @Test
    void areRefusedWithWhatIsMissingAndWhatWouldProvideIt() {
        List<List<Guarantee>> unreliable =
                List.of(List.of(Guarantee.VIEWS), List.of(Guarantee.IN_VIEW, Guarantee.APPLICATION), List.of());
        assertThatThrownBy(() -> AddedLayers.place(
                        "chat", Settings.of(List.of()), unreliable, List.of(TestLayer.of("audit", Guarantee.VIEWS, Guarantee.FIFO))))
                .isInstanceOf(SettingException.class)
                .hasMessage("group 'chat': layer 'audit' requires fifo, which nothing in this group provides;"
                        + " stack: fifo, causal or total would");
        assertThatThrownBy(() -> place(TestLayer.of("open", SEALED)))
                .hasMessage("group 'chat': layer 'open' requires sealed, which nothing in this group provides;"
                        + " a layer whose provides() names it would");
        assertThatThrownBy(() -> place(
                        TestLayer.of("a", SEALED).providing(Guarantee.of("x")), TestLayer.of("b", Guarantee.of("x")).providing(SEALED)))
                .hasMessage("group 'chat': layer 'a' requires sealed, which layer 'b' provides, but that one can't stand below it");
    }

    @Test
    void areRefusedWithBadNamesHeadersAndSettings() {
        assertThatThrownBy(() -> place(TestLayer.of("Zip"))).hasMessageContaining("a layer is called 'Zip'; a name is");
        assertThatThrownBy(() -> place(TestLayer.of("zip"), TestLayer.of("zip"))).hasMessageContaining("layer 'zip' is there twice");
        assertThatThrownBy(() -> place(TestLayer.of("a").withHeader(20), TestLayer.of("b").withHeader(13)))
                .hasMessageContaining("take 33 bytes, at most 32");
        assertThatThrownBy(() -> place(TestLayer.of("a").withHeader(1).ofItsOwn()))
                .hasMessageContaining("only a layer that all members have in common can have any");
        assertThatThrownBy(() -> place(TestLayer.of("a").with(Setting.text("a.x", "", "X."))))
                .hasMessageContaining("has a setting 'a.x', whose name has to begin with layer.a.");
        assertThatThrownBy(() -> place(TestLayer.of("a").with(Setting.text("layer.a.x", "x".repeat(250), "X."))))
                .hasMessageContaining("at most 256; name fewer in LayerProvider.settingsInCommon");
    }

    @Test
    void tellWhatAllMembersNeed() {
        Setting<Integer> level = Setting.count("layer.zip.level", 3, 1, 9, "Level.");
        assertThat(place(TestLayer.of("late", Guarantee.TOTAL), TestLayer.of("mine").ofItsOwn(), TestLayer.of("zip").with(level)).inCommon())
                .isEqualTo("layers: zip,late\nlayer.zip.level: 3\n");
        assertThat(place(TestLayer.of("mine").ofItsOwn()).inCommon()).isEmpty();
    }
}
