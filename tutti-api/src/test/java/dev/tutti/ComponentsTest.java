package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.NodeInspection.ComponentPart;
import dev.tutti.NodeInspection.Part;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
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
