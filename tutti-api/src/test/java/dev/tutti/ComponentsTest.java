package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.NodeInspection.ComponentPart;
import dev.tutti.NodeInspection.Part;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Parts and events that components add to those of their node. */
@Timeout(60)
class ComponentsTest {

    private final Node node = Node.local().name("a").start();

    @AfterEach
    void close() {
        node.close();
    }

    private static ComponentPart part(String label) {
        return new ComponentPart(Map.of("label", label), new Part("p", Map.of(), Map.of("number", 7L), Map.of("text", "t")));
    }

    @Test
    void partsAreInInspectionsUntilTheComponentIsClosed() {
        Subscription added = node.components().add("radio", () -> List.of(part("x"), part("y")));
        NodeInspection inspection = node.inspection();
        assertThat(inspection.components()).containsExactly(part("x"), part("y"));
        assertThat(inspection.part("components").value("components")).isOne();
        assertThat(inspection.document().get("components")).isEqualTo(List.of(
                Map.of("part", "p", "labels", Map.of("label", "x"), "values", Map.of("text", "t", "number", 7L)),
                Map.of("part", "p", "labels", Map.of("label", "y"), "values", Map.of("text", "t", "number", 7L))));
        assertThatThrownBy(() -> node.components().add("radio", List::of)).hasMessageContaining("has a component 'radio' already");
        assertThatThrownBy(() -> node.components().add("Radio 1", List::of)).isInstanceOf(IllegalArgumentException.class);
        added.close();
        assertThat(node.inspection().components()).isEmpty();
        node.components().add("radio", List::of);
    }

    private DataView.Page page(String kind, String after) {
        return node.components().page("g", kind, new DataView.Request("", after, 3));
    }

    @Test
    void keysAndValuesAreKeptBackUnlessSettingsPermitThem() {
        for (String setting : List.of("operator.content", "operator.values")) {
            try (Node open = Node.local().name("b").set(setting, "true").start()) {
                open.group("h").join();
                for (DataView.Content content : DataView.Content.values()) {
                    open.components().addView("h", "of-" + content, content, (after, rowsMax) -> DataView.Page.of(List.of("Name"), List.of(), after, rowsMax));
                }
                List<String> keys = List.of("of-KEYS", "of-NONE");
                assertThat(open.components().views()).isEqualTo(Map.of("h", setting.equals("operator.values") ? List.of("of-KEYS", "of-NONE", "of-VALUES") : keys));
                if (setting.equals("operator.content")) {
                    assertThatThrownBy(() -> open.components().page("h", "of-VALUES", new DataView.Request("", "", 3)))
                            .hasMessageContaining("operator.values is not set");
                }
            }
        }
    }

    @Test
    void viewsArePagedEscapedAndGoneWithTheirGroup() {
        node.components().addView(
                "g", "locks", DataView.Content.NONE, (after, rowsMax) -> DataView.Page.of(List.of("Name"), List.of(List.of("never")), after, rowsMax));
        assertThat(node.components().views()).as("of a group that is not joined").isEmpty();
        Group group = node.group("g").join();
        List<List<String>> rows = IntStream.range(0, 5).mapToObj(each -> List.of("a\n" + each + "x".repeat(300))).toList();
        node.components().addView("g", "locks", DataView.Content.NONE, (after, rowsMax) -> DataView.Page.of(List.of("Name"), rows, after, rowsMax));
        node.components().addView("g", "keys", DataView.Content.KEYS, (after, rowsMax) -> DataView.Page.of(List.of("Key"), rows, after, rowsMax));
        node.components().addView("g", "broken", DataView.Content.NONE, (after, rowsMax) -> {
            throw new IllegalStateException("on purpose");
        });
        assertThat(node.components().views()).isEqualTo(Map.of("g", List.of("broken", "locks")));
        DataView.Page first = page("locks", "");
        assertThat(first.rows()).hasSize(3).allMatch(row -> row.getFirst().length() < 300 && !row.getFirst().contains("\n"));
        assertThat(page("locks", first.next()).rows()).hasSize(2);
        assertThat(page("locks", first.next()).next()).isEmpty();
        assertThat(page("locks", "99").rows()).isEmpty();
        assertThatThrownBy(() -> page("locks", "-1")).hasMessageContaining("no position");
        assertThatThrownBy(() -> page("keys", "")).hasMessageContaining("operator.content");
        assertThatThrownBy(() -> page("broken", "")).hasMessageContaining("on purpose");
        assertThatThrownBy(() -> page("nothing", "")).hasMessageContaining("has no nothing");
        assertThatThrownBy(() -> node.components().page("g", "locks", new DataView.Request("a", "", 3))).hasMessageContaining("can't be searched");
        group.close();
        assertThat(node.components().views()).isEmpty();
    }

    @Test
    void attributesAreChangedWhereTheyAreAnnouncedAndGoneWithTheirGroup() {
        assertThat(node.inspection().parts()).noneMatch(part -> part.name().equals("attributes"));
        assertThatThrownBy(() -> node.components().putAttribute("zone", "a")).hasMessageContaining("node a announces no attributes");
        Group group = node.group("attributes").join();
        Map<String, String> kept = new ConcurrentHashMap<>(Map.of("rack", "r12"));
        node.components().keepAttributes("attributes", new Components.AttributeKeeper() {
            @Override
            public Map<String, String> attributes() {
                return kept;
            }

            @Override
            public void put(String name, String value) {
                kept.put(name, value);
            }

            @Override
            public void remove(String name) {
                kept.remove(name);
            }
        });
        node.components().putAttribute("zone", "eu-1a");
        assertThat(node.inspection().part("attributes").texts()).isEqualTo(Map.of("rack", "r12", "zone", "eu-1a"));
        assertThat(node.components().removeAttribute("rack")).isTrue();
        assertThat(node.components().removeAttribute("rack")).isFalse();
        assertThatThrownBy(() -> node.components().putAttribute("Zone", "a")).hasMessageContaining("'Zone' is no name of an attribute");
        assertThat(kept).isEqualTo(Map.of("zone", "eu-1a"));
        group.close();
        assertThat(node.inspection().parts()).noneMatch(part -> part.name().equals("attributes"));
    }

    @Test
    void aComponentThatThrowsIsCountedAndKeepsNoOtherFromTelling() {
        node.components().add("broken", () -> {
            throw new IllegalStateException("on purpose");
        });
        node.components().add("whole", () -> List.of(part("x")));
        NodeInspection inspection = node.inspection();
        assertThat(inspection.components()).containsExactly(part("x"));
        assertThat(inspection.part("components").value("failures")).isOne();
    }

    @Test
    void partsBeyondTheBoundAreLeftOutAndCounted() {
        node.components().add("large", () -> IntStream.range(0, Components.PARTS_MAX + 5).mapToObj(each -> part("x" + each)).toList());
        NodeInspection inspection = node.inspection();
        assertThat(inspection.components()).hasSize(Components.PARTS_MAX);
        assertThat(inspection.part("components").value("left-out")).isEqualTo(5);
    }

    @Test
    void eventsAreToldOnAnotherThreadInOrder() throws InterruptedException {
        BlockingQueue<Event> told = new LinkedBlockingQueue<>();
        Subscription listening = node.onEvent(told::add);
        node.components().tell("radio", "x", "on", "", "x is on");
        node.components().tell("radio", "y", "on", "", "y is on");
        assertThat(told.poll(20, TimeUnit.SECONDS)).isNotNull().extracting(Event::text).isEqualTo("x is on");
        assertThat(told.poll(20, TimeUnit.SECONDS)).isNotNull().extracting(Event::text).isEqualTo("y is on");
        listening.close();
        Event last = node.events(0).list().getLast();
        assertThat(last.kind()).isEqualTo(Event.Kind.COMPONENT);
        assertThat(last.details()).isEqualTo(Map.of("component", "radio", "about", "y", "what", "on"));
    }
}
