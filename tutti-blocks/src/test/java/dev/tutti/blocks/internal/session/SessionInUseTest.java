package dev.tutti.blocks.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.blocks.internal.session.AttributeCodec.ContainerValues;
import dev.tutti.blocks.session.SaveMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SessionInUseTest {

    private static final Duration INTERVAL = Duration.ofMinutes(30);

    private final AttributeCodec codec = new AttributeCodec("", new ContainerValues("container.", List.of()), new SessionCounters());
    private final Map<String, Object> values = new TreeMap<>();
    private final SessionInUse session = new SessionInUse(codec, SaveMode.ON_GET, values, 1_000);

    private void set(String name, Object value) {
        values.put(name, value);
        session.onChanged(name);
    }

    private SessionChanges take() {
        session.noteModified();
        return session.take(false, 2_000, INTERVAL);
    }

    /** Returns the session as the group has it with these attributes. */
    private SessionRecord record(Map<String, Object> attributes) {
        Map<String, byte[]> encoded = new TreeMap<>();
        attributes.forEach((name, value) -> encoded.put(name, codec.encode(name, value)));
        return new SessionRecord(Instant.EPOCH, "", INTERVAL, Map.of(), Instant.EPOCH, encoded, null);
    }

    private void refresh(Map<String, Object> attributes) {
        session.noteModified();
        session.refresh(record(attributes), SessionInUseTest.class.getClassLoader());
    }

    @Test
    void aWriteHasWhatWasSetRemovedOrModifiedSinceTheOneBefore() {
        List<String> cart = new ArrayList<>(List.of("book"));
        set("cart", cart);
        set("x", "1");
        session.onWritten(take());
        assertThat(session.hasChanges()).isFalse();
        cart.add("pen");
        values.remove("x");
        session.onChanged("x");
        SessionChanges changes = take();
        assertThat(changes.attributes()).containsOnlyKeys("cart", "x").containsEntry("x", null);
        assertThat(codec.decode("cart", changes.attributes().get("cart"), null)).isEqualTo(List.of("book", "pen"));
    }

    @Test
    void aWriteThatFailedIsInTheNextOne() {
        set("x", "1");
        session.onIntervalChanged();
        session.onNotWritten(take());
        set("y", "2");
        SessionChanges changes = take();
        assertThat(changes.attributes()).containsOnlyKeys("x", "y");
        assertThat(changes.isIntervalChanged()).isTrue();
    }

    @Test
    void changesThatAreUnderWayAreNotOverruledByWhatTheGroupStillHas() {
        set("x", "1");
        session.onWritten(take());
        set("x", "2");
        SessionChanges underWay = take();
        refresh(Map.of("x", "1", "y", "of another node"));
        assertThat(values).containsEntry("x", "2").containsEntry("y", "of another node");
        session.onWritten(underWay);
        refresh(Map.of("x", "3"));
        assertThat(values).as("written by another node later").isEqualTo(Map.of("x", "3"));
    }

    @Test
    void changesOfRequestsHereStandUntilTheyAreWritten() {
        session.load(record(Map.of("x", "1")), null);
        set("x", "2");
        session.onIntervalChanged();
        session.noteModified();
        assertThat(session.refresh(record(Map.of("x", "3")), null)).as("the interval of another node").isNull();
        assertThat(values).containsEntry("x", "2");
    }

    @Test
    void whatTheContainerSetsAgainToTheSameValueIsNoChange() {
        set("container.login", "ann");
        set("x", "1");
        session.onWritten(take());
        set("container.login", "ann");
        session.noteModified();
        assertThat(session.hasChanges()).isFalse();
        set("container.login", "bob");
        set("x", "1");
        assertThat(take().attributes()).as("the application's values stand, equal or not").containsOnlyKeys("container.login", "x");
    }

    @Test
    void aUseIsDueToBeToldAfterAThirdOfTheInterval() {
        assertThat(session.isTouchDue(1_300, 1_000)).isFalse();
        assertThat(session.isTouchDue(1_400, 1_000)).isTrue();
        session.onTouched(1_400);
        assertThat(session.isTouchDue(1_400, 1_000)).isFalse();
        assertThat(session.isTouchDue(9_000, -1)).as("a session that never expires").isFalse();
    }
}
