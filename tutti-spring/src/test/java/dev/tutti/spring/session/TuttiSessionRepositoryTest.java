package dev.tutti.spring.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Node;
import dev.tutti.spring.Local;
import dev.tutti.spring.serial.ObjectBytes;
import dev.tutti.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.session.FindByIndexNameSessionRepository;
import org.springframework.session.SaveMode;
import org.springframework.session.events.AbstractSessionEvent;
import org.springframework.session.events.SessionCreatedEvent;
import org.springframework.session.events.SessionDeletedEvent;
import org.springframework.session.events.SessionExpiredEvent;

class TuttiSessionRepositoryTest {

    private static final String PRINCIPAL = FindByIndexNameSessionRepository.PRINCIPAL_NAME_INDEX_NAME;

    private final Local local = new Local();
    private final List<Node> nodes = new ArrayList<>();
    private final List<Object> eventsOfA = new CopyOnWriteArrayList<>();
    private final List<Object> eventsOfB = new CopyOnWriteArrayList<>();
    private final TuttiSessionRepository a = repository("a", eventsOfA::add);
    private final TuttiSessionRepository b = repository("b", eventsOfB::add);

    private TuttiSessionRepository repository(String name, ApplicationEventPublisher events) {
        Node node = local.node(name);
        nodes.add(node);
        return new TuttiSessionRepository(node, "sessions", new ObjectBytes(List.of("dev.tutti.spring.**")), events);
    }

    @AfterEach
    void close() {
        nodes.forEach(Node::close);
    }

    /** Waits for B to have what A has written, and finds the session there. */
    private TuttiSession at(TuttiSessionRepository repository, String id, String attribute, Object value) {
        Await.until(attribute + " = " + value, () -> {
            TuttiSession found = repository.findById(id);
            return found != null && value.equals(found.getAttribute(attribute));
        });
        return repository.findById(id);
    }

    /** Sweeps twice, as time would. */
    private void sweep() {
        for (int turn = 0; turn < 2; turn++) {
            a.store().sweep();
            b.store().sweep();
        }
    }

    private TuttiSession saved(TuttiSessionRepository repository, String attribute, Object value) {
        TuttiSession session = repository.createSession();
        session.setAttribute(attribute, value);
        repository.save(session);
        return session;
    }

    @Test
    void aSessionIsFoundAtOtherNodesWithAllItHas() {
        TuttiSession session = a.createSession();
        session.setAttribute("cart", new ArrayList<>(List.of("book")));
        session.setMaxInactiveInterval(Duration.ofMinutes(7));
        assertThat(a.findById(session.getId())).isNull();
        a.save(session);
        TuttiSession found = at(b, session.getId(), "cart", List.of("book"));
        assertThat(found.getCreationTime()).isEqualTo(session.getCreationTime());
        assertThat(found.getLastAccessedTime()).isEqualTo(session.getLastAccessedTime());
        assertThat(found.getMaxInactiveInterval()).isEqualTo(Duration.ofMinutes(7));
        assertThat(found.getAttributeNames()).containsExactly("cart");
        assertThat(found.isExpired()).isFalse();
        assertThat(b.findById("another")).isNull();
    }

    @Test
    void requestsAtTwoNodesLoseNoneOfEachOthersChanges() {
        String id = saved(a, "kept", 1).getId();
        TuttiSession atA = a.findById(id);
        TuttiSession atB = at(b, id, "kept", 1);
        atA.setAttribute("a", "A");
        atA.setMaxInactiveInterval(Duration.ofMinutes(3));
        atB.setAttribute("b", "B");
        atB.removeAttribute("kept");
        a.save(atA);
        b.save(atB);
        for (TuttiSessionRepository each : List.of(a, b)) {
            at(each, id, "b", "B");
            TuttiSession merged = at(each, id, "a", "A");
            assertThat(merged.getAttributeNames()).containsExactlyInAnyOrder("a", "b");
            assertThat(merged.getMaxInactiveInterval()).isEqualTo(Duration.ofMinutes(3));
        }
    }

    @Test
    void requestsThatFollowEachOtherAtAnyNodeSeeAllThatWasSaved() {
        TuttiSession session = a.createSession();
        session.setAttribute("cart", new ArrayList<>());
        a.save(session);
        for (int item = 0; item < 50; item++) {
            TuttiSessionRepository next = item % 2 == 0 ? b : a;
            TuttiSession found = next.findById(session.getId());
            assertThat(found).as("the session at request %s", item).isNotNull();
            List<Integer> cart = found.getAttribute("cart");
            assertThat(cart).hasSize(item);
            cart.add(item);
            found.setAttribute("cart", cart);
            next.save(found);
        }
        b.deleteById(session.getId());
        assertThat(a.findById(session.getId())).isNull();
    }

    @Test
    void withoutSyncReadsAreLocal() {
        b.setSynced(false);
        String id = saved(a, "x", 1).getId();
        at(b, id, "x", 1);
    }

    @Test
    void aRequestHasObjectsOfItsOwn() {
        String id = saved(a, "cart", new ArrayList<>(List.of("book"))).getId();
        List<String> cart = a.findById(id).getAttribute("cart");
        cart.add("pen");
        assertThat(a.findById(id).<Object>getAttribute("cart")).isEqualTo(List.of("book"));
    }

    @Test
    void anAttributeThatWasChangedInPlaceIsWrittenWhereTheSaveModeSaysSo() {
        a.setSaveMode(SaveMode.ON_GET_ATTRIBUTE);
        String id = saved(a, "cart", new ArrayList<>(List.of("book"))).getId();
        TuttiSession session = a.findById(id);
        List<String> cart = session.getAttribute("cart");
        cart.add("pen");
        a.save(session);
        at(b, id, "cart", List.of("book", "pen"));
        a.setSaveMode(SaveMode.ALWAYS);
        a.save(a.findById(id));
        at(b, id, "cart", List.of("book", "pen"));
    }

    @Test
    void aDeletedSessionIsNotBroughtBackByARequestUnderWay() {
        String id = saved(a, "x", 1).getId();
        TuttiSession late = at(b, id, "x", 1);
        a.deleteById(id);
        Await.until("the end at B", () -> b.findById(id) == null);
        late.setAttribute("x", 2);
        b.save(late);
        assertThat(b.discarded()).isEqualTo(1);
        assertThat(a.findById(id)).isNull();
        Await.until("events", () -> eventsOfA.size() == 2 && eventsOfB.size() == 2);
        assertThat(eventsOfB.get(0)).isInstanceOf(SessionCreatedEvent.class);
        assertThat(eventsOfB.get(1)).isInstanceOfSatisfying(SessionDeletedEvent.class, event -> {
            assertThat(event.getSessionId()).isEqualTo(id);
            assertThat(event.getSession().<Object>getAttribute("x")).isEqualTo(1);
        });
    }

    @Test
    void aLateWriteAfterTheEndIsHiddenAndRemoved() {
        String id = saved(a, "x", 1).getId();
        at(b, id, "x", 1);
        a.deleteById(id);
        Await.until("the end at B", () -> b.findById(id) == null);
        // As a request would whose save began before the end was known.
        b.store().putAttribute(id, "x", new byte[] {1}).join();
        assertThat(b.findById(id)).isNull();
        sweep();
        Await.until("what is left is gone", () -> a.store().entries() == 1 && b.store().entries() == 1);
    }

    @Test
    void aSessionExpiresAtAllNodes() {
        TuttiSession session = a.createSession();
        session.setAttribute("x", 1);
        session.setMaxInactiveInterval(Duration.ofSeconds(1));
        a.save(session);
        at(b, session.getId(), "x", 1);
        Await.until("expiry", () -> a.findById(session.getId()) == null && b.findById(session.getId()) == null);
        Await.until("events", () -> eventsOfA.size() == 2 && eventsOfB.size() == 2);
        assertThat(List.of(eventsOfA.getLast(), eventsOfB.getLast()))
                .allSatisfy(event -> assertThat(event).isInstanceOf(SessionExpiredEvent.class));
        a.store().sweep();
        b.store().sweep();
        assertThat(a.store().entries()).as("kept at first: the rest of the session might still come").isPositive();
        sweep();
        Await.until("what is left is gone", () -> a.store().entries() == 0 && b.store().entries() == 0);
    }

    @Test
    void sweepsLeaveLiveSessionsAlone() {
        String id = saved(a, "x", 1).getId();
        at(b, id, "x", 1);
        sweep();
        saved(a, "later", 1);
        at(b, id, "x", 1);
        assertThat(a.findById(id)).isNotNull();
    }

    @Test
    void intervalsMayBeShortLongOrNone() {
        for (Duration interval : List.of(Duration.ofMillis(60_500), Duration.ofDays(100_000), Duration.ofSeconds(-1))) {
            TuttiSession session = a.createSession();
            session.setMaxInactiveInterval(interval);
            a.save(session);
            assertThat(a.findById(session.getId()).getMaxInactiveInterval()).isEqualTo(interval);
            assertThat(a.findById(session.getId()).isExpired()).isFalse();
        }
    }

    @Test
    void sessionsAreFoundByPrincipal() {
        TuttiSession session = a.createSession();
        session.setAttribute(PRINCIPAL, "ann");
        a.save(session);
        String other = saved(a, PRINCIPAL, "bob").getId();
        at(b, other, PRINCIPAL, "bob");
        assertThat(b.findByPrincipalName("ann")).containsOnlyKeys(session.getId());
        TuttiSession found = b.findById(session.getId());
        found.setAttribute(PRINCIPAL, "bob");
        b.save(found);
        at(a, session.getId(), PRINCIPAL, "bob");
        Await.until("the index", () -> a.findByPrincipalName("ann").isEmpty());
        assertThat(a.findByPrincipalName("bob")).containsOnlyKeys(session.getId(), other);
        a.deleteById(other);
        assertThat(a.findByPrincipalName("bob")).containsOnlyKeys(session.getId());
    }

    @Test
    void aChangedIdTakesEverythingAlongWithoutAnEvent() {
        TuttiSession session = saved(a, "x", 1);
        String before = session.getId();
        TuttiSession atB = at(b, before, "x", 1);
        session.changeSessionId();
        session.setAttribute("y", 2);
        a.save(session);
        assertThat(session.getId()).isNotEqualTo(before);
        at(b, session.getId(), "y", 2);
        at(b, session.getId(), "x", 1);
        Await.until("the end of the old id", () -> b.findById(before) == null);
        atB.setAttribute("x", 3);
        b.save(atB);
        assertThat(a.findById(session.getId()).<Object>getAttribute("x")).isEqualTo(1);
        a.deleteById(session.getId());
        Await.until("events", () -> eventsOfB.size() == 2);
        assertThat(eventsOfB).extracting(event -> ((AbstractSessionEvent) event).getSessionId()).containsExactly(before, session.getId());
    }

    @Test
    void aNewNodeHasAllSessionsAndHearsNothingOfTheOldOnes() {
        String id = saved(a, PRINCIPAL, "ann").getId();
        List<Object> events = new CopyOnWriteArrayList<>();
        TuttiSessionRepository c = repository("c", events::add);
        assertThat(c.findByPrincipalName("ann")).containsOnlyKeys(id);
        nodes.getFirst().close();
        c.deleteById(id);
        Await.until("the end at B", () -> b.findById(id) == null);
        Await.until("the event", () -> !events.isEmpty());
        assertThat(events).singleElement().isInstanceOf(SessionDeletedEvent.class);
    }

    /** A class that can't be replicated. */
    static final class Connection {}

    @Test
    void attributesThatCanNotBeReadElsewhereAreRefusedWhereTheyAreSet() {
        TuttiSession session = a.createSession();
        session.setAttribute("connection", new Connection());
        assertThatThrownBy(() -> a.save(session)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("Serializable");
        session.removeAttribute("connection");
        session.setAttribute("element", new SimpleKey("x"));
        assertThatThrownBy(() -> a.save(session))
                .hasMessageContaining("SimpleKey")
                .hasMessageContaining("tutti.spring.allowed-classes");
        assertThat(a.findById(session.getId())).isNull();
    }
}
