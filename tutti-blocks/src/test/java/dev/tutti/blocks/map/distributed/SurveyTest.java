package dev.tutti.blocks.map.distributed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.blocks.codec.ByteInput;
import dev.tutti.blocks.codec.ByteOutput;
import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.map.MapException;
import dev.tutti.blocks.map.distributed.Report.OfShard;
import dev.tutti.blocks.map.distributed.Report.Stage;
import dev.tutti.core.Member;
import dev.tutti.core.NodeId;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Permissions that follow from the reports of others, and the encoding of messages. */
class SurveyTest {

    private static final NodeId A = node(1);
    private static final NodeId B = node(2);
    private static final NodeId C = node(3);
    private static final OfShard NONE = new OfShard(Stage.ABSENT, null, false, false);

    private static NodeId node(int number) {
        return new NodeId(number, "n" + number, "10.0.0." + number + ":7800");
    }

    private static View view(int number, NodeId... nodes) {
        List<Member> members = Arrays.stream(nodes).map(node -> new Member(node, 1)).toList();
        return new View(new ViewId(number, 1, members.getFirst()), members, List.of());
    }

    private static OfShard held(View view) {
        return new OfShard(Stage.HELD, view.id(), false, true);
    }

    private static Survey survey(View own, Layout layout, Map<NodeId, OfShard> others) {
        Map<NodeId, Report> reports = new TreeMap<>();
        others.forEach((node, shard) -> reports.put(node, new Report(2, layout.members(), List.of(shard))));
        return survey(own, layout, reports, true);
    }

    private static Survey survey(View own, Layout layout, Map<NodeId, Report> reports, boolean isComplete) {
        return new Survey(A, new Survey.Asked(layout, Map.of(0, own)), reports, isComplete);
    }

    private static Layout all() {
        return new Layout(List.of(A, B, C), 1, 2);
    }

    // ------------------------------------------------------------------ serving

    @Test
    void servesWhatNobodyElseHolds() {
        OfShard joining = new OfShard(Stage.JOINING, null, false, false);
        assertThat(survey(view(1, A), all(), Map.of(B, NONE, C, joining)).mayServe(0)).isTrue();
    }

    @Test
    void doesNotServeWhatOthersHoldInAnotherView() {
        assertThat(survey(view(1, A), all(), Map.of(B, NONE, C, held(view(1, C)))).mayServe(0)).isFalse();
        View own = view(4, A, B);
        assertThat(survey(own, all(), Map.of(B, held(view(3, A, B)), C, NONE)).mayServe(0)).isFalse();
        assertThat(survey(own, all(), Map.of(B, held(own), C, NONE)).mayServe(0)).isTrue();
    }

    @Test
    void doesNotServeBeforeAllHaveAnswered() {
        Map<NodeId, Report> some = Map.of(B, new Report(2, List.of(A, B, C), List.of(NONE)));
        assertThat(survey(view(1, A), all(), some, false).mayServe(0)).isFalse();
        // A member of the shard's view that is no member of the map's view at present.
        assertThat(survey(view(4, A, C), all(), Map.of(B, NONE)).mayServe(0)).isFalse();
    }

    @Test
    void doesNotServeWhatItDidNotHoldWhenItAsked() {
        Map<NodeId, Report> all = Map.of(B, new Report(2, List.of(A, B), List.of(NONE)));
        Layout layout = new Layout(List.of(A, B), 1, 2);
        assertThat(new Survey(A, new Survey.Asked(layout, Map.of()), all, true).mayServe(0)).isFalse();
    }

    @Test
    void doesNotServeWhileEntriesAreBroughtIn() {
        View view = view(4, A, B);
        OfShard burdened = new OfShard(Stage.HELD, view.id(), true, true);
        assertThat(survey(view, all(), Map.of(B, burdened, C, NONE)).mayServe(0)).isFalse();
    }

    @Test
    void knowsWhatAnyOtherKnows() {
        assertThat(survey(view(1, A), all(), Map.of(B, NONE, C, NONE)).isKnown(0)).isFalse();
        OfShard known = new OfShard(Stage.ABSENT, null, false, true);
        assertThat(survey(view(1, A), all(), Map.of(B, NONE, C, known)).isKnown(0)).isTrue();
    }

    // ------------------------------------------------------------------ giving up

    @Test
    void leavesWhenAllThatAreToHoldItHaveIt() {
        Layout layout = new Layout(List.of(B, C), 1, 2);
        View view = view(4, A, B, C);
        assertThat(survey(view, layout, Map.of(B, held(view), C, held(view))).mayLeave(0)).isTrue();
        OfShard joining = new OfShard(Stage.JOINING, view.id(), false, true);
        assertThat(survey(view, layout, Map.of(B, held(view), C, joining)).mayLeave(0)).isFalse();
        assertThat(survey(view, layout, Map.of(B, held(view), C, held(view(3, C)))).mayLeave(0)).isFalse();
        assertThat(survey(view, layout, Map.of(B, held(view))).mayLeave(0)).isFalse();
    }

    @Test
    void doesNotLeaveToMembersThatMayLeaveThemselves() {
        Layout layout = new Layout(List.of(B, C), 1, 2);
        View view = view(4, A, B, C);
        OfShard leaving = new OfShard(Stage.LEAVING, view.id(), false, true);
        assertThat(survey(view, layout, Map.of(B, held(view), C, leaving)).mayLeave(0)).isFalse();
        // C lays the shards out among other members, and may count on this one.
        Map<NodeId, Report> reports = Map.of(
                B, new Report(2, List.of(B, C), List.of(held(view))), C, new Report(2, List.of(A, B, C), List.of(held(view))));
        assertThat(survey(view, layout, reports, true).mayLeave(0)).isFalse();
    }

    // ------------------------------------------------------------------ messages

    private static <T> byte[] bytes(Codec<T> codec, T value) {
        ByteOutput out = new ByteOutput();
        codec.put(value, out);
        return out.copy();
    }

    @Test
    void reportComesAsItWas() {
        Report report = new Report(
                2,
                List.of(A, B),
                List.of(NONE, held(view(3, B)), new OfShard(Stage.LEAVING, view(9, A, B).id(), true, false), new OfShard(Stage.JOINING, null, false, true)));
        assertThat(Report.CODEC.take(new ByteInput(bytes(Report.CODEC, report)))).isEqualTo(report);
    }

    @Test
    void requestsAndAnswersComeAsTheyWere() {
        EntryKey key = new EntryKey(new byte[] {1, 2});
        Request request = new Request(Request.Kind.REPLACE_IF_EQUAL, 5, key, new byte[] {3}, new byte[0], 7);
        Request taken = Request.CODEC.take(new ByteInput(bytes(Request.CODEC, request)));
        assertThat(taken).usingRecursiveComparison().isEqualTo(request);
        List<Answer> answers = List.of(
                new Answer.Done(true, new byte[] {1}, false),
                new Answer.Done(false, null, true),
                new Answer.Elsewhere(B),
                new Answer.Absent(),
                new Answer.Later(),
                new Answer.Failed(MapException.Reason.TIMED_OUT, "late"));
        for (Answer answer : answers) {
            assertThat(Answer.CODEC.take(new ByteInput(bytes(Answer.CODEC, answer)))).usingRecursiveComparison().isEqualTo(answer);
        }
    }

    @Test
    void requestsThatMakeNoSenseAreRefused() {
        EntryKey key = new EntryKey(new byte[] {1});
        List<Request> wrong = List.of(
                new Request(Request.Kind.PUT, 0, key, null, null, 0),
                new Request(Request.Kind.GET, 0, key, new byte[1], null, 0),
                new Request(Request.Kind.REMOVE_IF_EQUAL, 0, key, null, null, 0),
                new Request(Request.Kind.GET, -1, key, null, null, 0),
                new Request(Request.Kind.PUT, 0, key, new byte[1], null, -1),
                new Request(Request.Kind.PUT, 0, EntryKey.OPENED, new byte[1], null, 0));
        for (Request request : wrong) {
            byte[] bytes = bytes(Request.CODEC, request);
            assertThatThrownBy(() -> Request.CODEC.take(new ByteInput(bytes))).as("%s", request).isInstanceOf(MalformedException.class);
        }
    }
}
