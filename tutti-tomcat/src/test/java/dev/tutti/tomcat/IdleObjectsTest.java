package dev.tutti.tomcat;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.tomcat.replication.InMemoryCluster;
import dev.tutti.tomcat.replication.session.SessionRecord;
import jakarta.servlet.http.HttpSession;
import jakarta.servlet.http.HttpSessionBindingListener;
import java.io.Serializable;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions that nobody uses are kept as bytes only, and are objects again with the next request. */
class IdleObjectsTest {

    private static final Duration AT_ONCE = Duration.ofNanos(1);

    private final InMemoryCluster cluster = InMemoryCluster.threaded();
    private TomcatNode node;

    @TempDir
    Path directory;

    /** Object that is told of sessions. */
    private static final class Listening implements HttpSessionBindingListener, Serializable {
        private static final long serialVersionUID = 1;
    }

    @BeforeEach
    void start() {
        node = new TomcatNode("a", directory, TomcatNode.patientManager(cluster.source("a")), Map.of(), each -> {});
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private SessionRecord create(String name, Object value) {
        TuttiSession session = (TuttiSession) node.manager.createSession(null);
        session.getSession().setAttribute(name, value);
        session.access();
        session.endAccess();
        return session.record();
    }

    /** Lets go of objects as after a while without requests, and collects garbage. */
    private WeakReference<Object> rest(SessionRecord record) {
        WeakReference<Object> object = new WeakReference<>(record.handle());
        node.manager.replication().dropObjects(AT_ONCE);
        System.gc();
        return object;
    }

    private boolean isDropped(SessionRecord record) {
        WeakReference<Object> object = rest(record);
        until("the object is dropped", () -> {
            System.gc();
            return object.refersTo(null);
        });
        return record.handle() == null;
    }

    private boolean isHeld(SessionRecord record) {
        return !rest(record).refersTo(null) && record.handle() != null;
    }

    private HttpSession session(SessionRecord record) {
        return node.manager.findSession(record.id()).getSession();
    }

    @Test
    void idleSessionIsAnObjectAgainWhenItIsUsed() {
        SessionRecord record = create("cart", new ArrayList<>(List.of("book")));
        long created = session(record).getCreationTime();
        assertThat(isDropped(record)).isTrue();
        HttpSession again = session(record);
        assertThat(again.getAttribute("cart")).isEqualTo(List.of("book"));
        assertThat(again.getCreationTime()).isEqualTo(created);
        assertThat(again.isNew()).isFalse();
        assertThat(again.getLastAccessedTime()).isGreaterThanOrEqualTo(created);
    }

    @Test
    void objectThatSomebodyHoldsStaysTheOnlyOne() {
        SessionRecord record = create("cart", "book");
        HttpSession held = session(record);
        assertThat(isHeld(record)).isTrue();
        held.setAttribute("cart", "pen");
        assertThat(session(record).getAttribute("cart")).isEqualTo("pen");
        assertThat(node.manager.findSession(record.id())).isSameAs(record.handle());
    }

    @Test
    void sessionThatARequestUsesIsHeld() {
        SessionRecord record = create("cart", "book");
        node.manager.findSession(record.id()).access();
        assertThat(isHeld(record)).isTrue();
        node.manager.findSession(record.id()).endAccess();
        assertThat(isDropped(record)).isTrue();
    }

    @Test
    void whatIsNotInTheBytesKeepsTheObject() {
        assertThat(isHeld(create("plain", new Object()))).as("can't be serialized").isTrue();
        assertThat(isHeld(create("listening", new Listening()))).as("was told of the session").isTrue();
        SessionRecord noted = create("cart", "book");
        node.manager.findSession(noted.id()).setNote("container", "value");
        assertThat(isHeld(noted)).as("has a note of the container").isTrue();
    }

    @Test
    void objectReadSinceItWasSentIsComparedFirst() {
        SessionRecord record = create("cart", new ArrayList<>(List.of("book")));
        ((TuttiSession) node.manager.findSession(record.id())).getAttribute("cart");
        assertThat(isHeld(record)).as("may have been changed").isTrue();
    }

    @Test
    void nothingIsDroppedWithoutATimeout() {
        SessionRecord record = create("cart", "book");
        node.manager.replication().dropObjects(Duration.ZERO);
        System.gc();
        assertThat(record.handle()).isNotNull();
    }
}
