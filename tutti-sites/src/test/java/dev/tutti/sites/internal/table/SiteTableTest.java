package dev.tutti.sites.internal.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.sites.internal.relay.BridgeFrame.Announce;
import dev.tutti.sites.internal.relay.SitePart;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The master of a site that messages are sent to. Masters 1 and 2 are of Berlin, and still in the view of the masters. */
class SiteTableTest {

    private static final Member FIRST = new Member(new NodeId(11, "n1", "b1:1"), 1);
    private static final Member SECOND = new Member(new NodeId(12, "n2", "b2:1"), 1);

    private final View view = new View(new ViewId(1, 1, FIRST), List.of(FIRST, SECOND), List.of());
    private final SiteTable table = new SiteTable();

    @BeforeEach
    void all() {
        announce(FIRST, true, new SitePart(1, 5, List.of("n1", "n2", "n3"), List.of(1L, 2L, 3L)));
        announce(SECOND, false, new SitePart(2, 5, List.of("n1", "n2", "n3"), List.of(1L, 2L, 3L)));
    }

    private void announce(Member master, boolean isFirst, SitePart part) {
        table.onAnnounce(view, master, new Announce("berlin", isFirst, 0, 0, part, List.of("orders")));
    }

    @Test
    void isTheOldest() {
        assertThat(table.masterOf("berlin", "orders")).isEqualTo(FIRST);
        assertThat(table.masterOf("berlin", "others")).isNull();
    }

    @Test
    void isNotOneThatItsSiteHasGoneOnWithout() {
        announce(SECOND, true, new SitePart(2, 6, List.of("n2", "n3"), List.of(2L, 3L)));
        assertThat(table.masterOf("berlin", "orders")).isEqualTo(SECOND);
        assertThat(table.row("berlin").members()).containsExactly("n2", "n3");
    }

    /** Its successor has its name. */
    @Test
    void isNotOneWhoseProcessWasStartedAgain() {
        announce(SECOND, true, new SitePart(2, 7, List.of("n2", "n3", "n1"), List.of(2L, 3L, 4L)));
        assertThat(table.masterOf("berlin", "orders")).isEqualTo(SECOND);
    }

    /** The first master has taken a view in which the second is new, and that one has not announced it yet. */
    @Test
    void isOneThatIsAheadOfAnother() {
        announce(SECOND, false, new SitePart(2, 4, List.of("n2"), List.of(2L)));
        assertThat(table.masterOf("berlin", "orders")).isEqualTo(FIRST);
    }

    /** The third member has left, or has joined: masters tell of it one after the other, and belong to the same part all the time. */
    @Test
    void staysTheSameWhileOneMasterHasNotToldTheViewOfAnother() {
        announce(FIRST, true, new SitePart(1, 6, List.of("n1", "n2"), List.of(1L, 2L)));
        assertThat(table.masterOf("berlin", "orders")).isEqualTo(FIRST);
        announce(SECOND, false, new SitePart(2, 7, List.of("n1", "n2", "n3"), List.of(1L, 2L, 4L)));
        assertThat(table.masterOf("berlin", "orders")).isEqualTo(FIRST);
    }

    @Test
    void isTheNextOneAsSoonAsThatTellsThatTheFirstIsGone() {
        long number = table.number();
        table.onEarly(SECOND, new Announce("berlin", true, 0, 0, new SitePart(2, 6, List.of("n2", "n3"), List.of(2L, 3L)), List.of("orders")));
        assertThat(table.masterOf("berlin", "orders")).isEqualTo(SECOND);
        assertThat(table.number()).isEqualTo(number);
        assertThat(table.row("berlin").members()).containsExactly("n1", "n2", "n3");
        announce(FIRST, true, new SitePart(1, 8, List.of("n1", "n2", "n3"), List.of(1L, 2L, 3L)));
        assertThat(table.masterOf("berlin", "orders")).isEqualTo(FIRST);
    }

    @Test
    void isOneOfTheLargestPartIfTheSiteIsDivided() {
        announce(FIRST, true, new SitePart(1, 6, List.of("n1"), List.of(1L)));
        announce(SECOND, true, new SitePart(2, 6, List.of("n2", "n3"), List.of(2L, 3L)));
        assertThat(table.masterOf("berlin", "orders")).isEqualTo(SECOND);
    }
}
