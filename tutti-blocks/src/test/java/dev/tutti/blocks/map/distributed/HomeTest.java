package dev.tutti.blocks.map.distributed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Threads;
import dev.tutti.blocks.map.MapException;
import dev.tutti.blocks.map.TotalOrderMap;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Operations at a home while views of the shard change, on a copy that stands still. */
class HomeTest {

    private static final EntryKey KEY = new EntryKey(new byte[] {1});
    private static final byte[] VALUE = {7};

    private final NodeId first = node(1);
    private final NodeId second = node(2);

    /** The one of both that is home when both hold the shard. */
    private final NodeId higher = Layout.home(0, view(9, first, second));

    private final NodeId self = higher.equals(first) ? second : first;
    private final List<String> calls = new ArrayList<>();
    private final Shards shards = new Shards(self, new Threads() {}, 1, 2, () -> {});
    private final Home home = new Home(shards);

    /** Views that the map has reached, and that its group has installed. */
    private View reached = view(1, self);

    private View installed = reached;

    /** Runs while the map makes a change. */
    private Runnable meanwhile = () -> {};

    @SuppressWarnings("unchecked") // the proxy has the interface
    private final TotalOrderMap<EntryKey, byte[]> map = (TotalOrderMap<EntryKey, byte[]>) Proxy.newProxyInstance(
            HomeTest.class.getClassLoader(), new Class<?>[] {TotalOrderMap.class}, (_, method, _) -> {
                if (method.getName().equals("view")) {
                    return reached;
                }
                calls.add(method.getName());
                meanwhile.run();
                return switch (method.getName()) {
                    case "get", "getAndPut" -> VALUE;
                    case "replace" -> true;
                    default -> null;
                };
            });

    private final Copy copy = new Copy(0, map, () -> installed);

    private static NodeId node(int number) {
        return new NodeId(number, "n" + number, "10.0.0." + number + ":7800");
    }

    private static View view(int number, NodeId... nodes) {
        List<Member> members = Arrays.stream(nodes).map(node -> new Member(node, 1)).toList();
        return new View(new ViewId(number, 1, members.getFirst()), members, List.of());
    }

    private void setView(View view) {
        installed = view;
        reached = view;
        shards.onView(0, view);
    }

    @BeforeEach
    void serve() {
        shards.onMainView(view(1, self));
        assertThat(shards.takeToJoin(8)).containsExactly(0);
        assertThat(home.read(get())).isEqualTo(new Answer.Absent());
        shards.onView(0, reached);
        shards.onJoined(copy);
        assertThat(home.read(get())).isEqualTo(new Answer.Later());
        List<Shards.Opening> openings = shards.takeToServe(new Survey(self, shards.asked(), Map.of(), true), 8);
        assertThat(openings).hasSize(1);
        shards.onOpened(openings.getFirst(), true);
    }

    private static Request get() {
        return Request.of(Request.Kind.GET, 0, KEY);
    }

    private static Request put() {
        return new Request(Request.Kind.GET_AND_PUT, 0, KEY, VALUE, null, 0);
    }

    @Test
    void servesInItsView() {
        assertThat(home.read(get())).isEqualTo(new Answer.Done(true, VALUE, true));
        assertThat(home.change(put())).isEqualTo(new Answer.Done(true, VALUE, true));
        assertThat(calls).containsExactly("get", "getAndPut");
    }

    @Test
    void servesNothingFromTheMomentThatTheGroupHasInstalledALaterView() {
        installed = view(2, self, higher);
        assertThat(home.read(get())).isInstanceOf(Answer.Later.class);
        assertThat(home.change(put())).isInstanceOf(Answer.Later.class);
        reached = installed;
        assertThat(home.read(get())).isInstanceOf(Answer.Later.class);
        setView(installed);
        assertThat(home.read(get())).isEqualTo(new Answer.Elsewhere(higher));
        assertThat(calls).isEmpty();
    }

    @Test
    void changeAfterWhichAnotherMemberIsHomeIsNotSettled() {
        meanwhile = () -> setView(view(2, self, higher));
        assertThat(home.change(put())).isEqualTo(new Answer.Done(true, VALUE, false));
    }

    @Test
    void homeServesNoMoreInAViewWithNewcomersBeforeItHasAsked() {
        setView(new View(new ViewId(2, 1, reached.coordinator()), reached.members(), List.of()));
        assertThat(home.read(get())).isInstanceOf(Answer.Later.class);
    }

    @Test
    void copyIsNotGivenUpWhileAChangeIsUnderWay() {
        List<Boolean> isIdle = new ArrayList<>();
        meanwhile = () -> isIdle.add(shards.isIdle(0));
        home.change(put());
        assertThat(isIdle).containsExactly(false);
        assertThat(shards.awaitIdle(0)).isTrue();
    }

    @Test
    void refusedChangeIsMadeLaterAndOthersFailWithTheirReason() {
        meanwhile = () -> {
            throw new MapException(MapException.Reason.REFUSED, "busy");
        };
        assertThat(home.change(put())).isInstanceOf(Answer.Later.class);
        meanwhile = () -> {
            throw new MapException(MapException.Reason.REPLACED, "merged");
        };
        assertThat(home.change(put())).isEqualTo(new Answer.Failed(MapException.Reason.REPLACED, "merged"));
    }

    @Test
    void leavingMemberServesNothing() {
        shards.onLeaving(self);
        Survey survey = new Survey(self, shards.asked(), Map.of(), true);
        assertThat(shards.takeToLeave(survey, List.of(copy))).containsExactly(copy);
        assertThat(home.read(get())).isEqualTo(new Answer.Absent());
        assertThat(home.change(put())).isEqualTo(new Answer.Absent());
        shards.onGone(0);
        assertThat(shards.isEmpty()).isTrue();
    }

    @Test
    void shardThatDoesNotExistIsAbsent() {
        assertThat(home.read(Request.of(Request.Kind.GET, 5, KEY))).isEqualTo(new Answer.Absent());
    }
}
