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

    @Test
    void viewsArePagedEscapedAndGoneWithTheirGroup() {
        node.components().addView("g", "locks", false, (after, rowsMax) -> DataView.Page.of(List.of("Name"), List.of(List.of("never")), after, rowsMax));
        assertThat(node.components().views()).as("of a group that is not joined").isEmpty();
        Group group = node.group("g").join();
        List<List<String>> rows = IntStream.range(0, 5).mapToObj(each -> List.of("a\n" + each + "x".repeat(300))).toList();
        node.components().addView("g", "locks", false, (after, rowsMax) -> DataView.Page.of(List.of("Name"), rows, after, rowsMax));
        node.components().addView("g", "keys", true, (after, rowsMax) -> DataView.Page.of(List.of("Key"), rows, after, rowsMax));
        node.components().addView("g", "broken", false, (after, rowsMax) -> {
            throw new IllegalStateException("on purpose");
        });
        assertThat(node.components().views()).isEqualTo(Map.of("g", List.of("broken", "locks")));
        DataView.Page first = node.components().page("g", "locks", "", 3);
        assertThat(first.rows()).hasSize(3).allMatch(row -> row.getFirst().length() < 300 && !row.getFirst().contains("\n"));
        assertThat(node.components().page("g", "locks", first.next(), 3).rows()).hasSize(2);
        assertThat(node.components().page("g", "locks", first.next(), 3).next()).isEmpty();
        assertThat(node.components().page("g", "locks", "99", 3).rows()).isEmpty();
        assertThatThrownBy(() -> node.components().page("g", "locks", "-1", 3)).hasMessageContaining("no position");
        assertThatThrownBy(() -> node.components().page("g", "keys", "", 3)).hasMessageContaining("operator.content");
        assertThatThrownBy(() -> node.components().page("g", "broken", "", 3)).hasMessageContaining("on purpose");
        assertThatThrownBy(() -> node.components().page("g", "nothing", "", 3)).hasMessageContaining("has no nothing");
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
