package dev.tutti.console.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TimelineTest {

    private final Timeline timeline = new Timeline();
    private final Map<String, Long> numbers = new HashMap<>();

    private void tell(String witness, long at, String kind, String group, String node, String cause, Map<String, ?> details) {
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("number", numbers.merge(witness, 1L, Long::sum));
        event.put("epochMillis", at);
        event.put("kind", kind);
        event.put("group", group);
        event.put("node", node);
        event.put("text", "text of " + kind);
        event.put("cause", cause);
        event.put("details", details);
        timeline.onEvents(witness, "1", new Doc(Map.of("events", List.of(event), "missed", 0L)));
    }

    private void view(
            String witness, long at, String group, long number, List<String> members, List<String> come, List<String> gone) {
        tell(witness, at, "view", group, "", "", Map.of(
                "view", number + ".1@a", "number", number, "members", members, "come", come, "gone", gone));
    }

    private List<Doc> stories() {
        List<Doc> stories = new ArrayList<>();
        timeline.all().forEach(story -> stories.add(new Doc(story)));
        return stories;
    }

    @Test
    void oneViewSeenByManyIsOneStory() {
        view("a", 1_000, "g", 2, List.of("a", "b"), List.of("b"), List.of());
        view("b", 1_004, "g", 2, List.of("a", "b"), List.of("a"), List.of());
        assertThat(stories()).hasSize(1);
        assertThat(stories().getFirst().text("kind")).isEqualTo("joined");
        assertThat(stories().getFirst().list("groups").getFirst().number("told")).isEqualTo(2);
    }

    @Test
    void aChangeOfASiteThatManySeeIsOneStory() {
        Map<String, String> away = Map.of("component", "sites", "about", "paris", "what", "away");
        tell("a", 1_000, "component", "", "", "", away);
        tell("b", 1_400, "component", "", "", "", away);
        tell("b", 1_500, "component", "orders", "", "", Map.of("component", "sites", "about", "paris", "what", "gap"));
        tell("a", 60_000, "component", "", "", "", away);
        assertThat(stories()).extracting(story -> story.text("kind") + " " + story.text("thing") + " " + story.text("group") + " " + story.number("at"))
                .containsExactly("sites-away paris  1000", "sites-gap paris orders 1500", "sites-away paris  60000");
        assertThat(stories().getFirst().texts("subjects")).isEmpty();
    }

    @Test
    void whoHadMostCompanyKnowsWhoHasCome() {
        // The newcomer, to whom all others are new, is heard first.
        view("c", 1_000, "g", 3, List.of("a", "b", "c"), List.of("a", "b"), List.of());
        view("a", 1_002, "g", 3, List.of("a", "b", "c"), List.of("c"), List.of());
        assertThat(stories().getFirst().texts("subjects")).containsExactly("c");
    }

    @Test
    void aKillIsToldWithWhoNoticedFirstAndWhenAllAgreed() {
        tell("b", 1_010, "link-closed", "", "c", "its process is gone", Map.of("graceful", false));
        tell("a", 1_000, "link-closed", "", "c", "its process is gone", Map.of("graceful", false));
        view("a", 1_030, "g", 4, List.of("a", "b"), List.of(), List.of("c"));
        view("b", 1_044, "g", 4, List.of("a", "b"), List.of(), List.of("c"));
        Doc story = stories().getFirst();
        assertThat(story.text("kind")).isEqualTo("lost");
        assertThat(story.texts("subjects")).containsExactly("c");
        assertThat(story.text("cause"))
                .isEqualTo("its process is gone. Noticed first by a; all others agreed 44 ms later");
    }

    @Test
    void aCauseThatIsHeardLateStillCounts() {
        view("a", 1_030, "g", 4, List.of("a", "b"), List.of(), List.of("c"));
        tell("a", 1_000, "suspicion", "", "c", "not heard by 2 of its 2 watchers", Map.of());
        assertThat(stories().getFirst().text("kind")).isEqualTo("silent");
    }

    @Test
    void aGoodbyeIsNoLoss() {
        tell("a", 1_000, "link-closed", "", "c", "the node was stopped", Map.of("graceful", true));
        view("a", 1_010, "g", 4, List.of("a", "b"), List.of(), List.of("c"));
        assertThat(stories().getFirst().text("kind")).isEqualTo("left");
    }

    @Test
    void oneChangeInSeveralGroupsIsOneStory() {
        tell("a", 1_000, "link-closed", "", "c", "gone", Map.of("graceful", false));
        view("a", 1_010, "g", 4, List.of("a", "b"), List.of(), List.of("c"));
        view("a", 1_011, "h", 9, List.of("a", "b"), List.of(), List.of("c"));
        view("b", 1_012, "h", 9, List.of("a", "b"), List.of(), List.of("c"));
        List<Doc> stories = stories();
        assertThat(stories).hasSize(1);
        assertThat(stories.getFirst().list("groups")).extracting(group -> group.text("name")).containsExactly("g", "h");
    }

    @Test
    void sidesThatMeetAreNamed() {
        view("a", 1_000, "g", 7, List.of("a", "b", "c"), List.of("c"), List.of());
        tell("a", 1_000, "merge", "g", "", "they hear each other again", Map.of("view", "7.1@a", "parts", List.of("a, b", "c")));
        Doc story = stories().getFirst();
        assertThat(story.text("kind")).isEqualTo("merged");
        assertThat(story.texts("subjects")).containsExactly("a, b", "c");
    }

    @Test
    void whatRepeatsIsCounted() {
        for (int each = 0; each < 5; each++) {
            tell("a", 1_000 + each * 1_000L, "slow-listener", "g", "", "", Map.of());
        }
        assertThat(stories()).hasSize(1);
        assertThat(stories().getFirst().number("count")).isEqualTo(5);
    }

    @Test
    void whatChangesIsToldOnceAndAgainOnlyWhenItGrows() {
        view("a", 1_000, "g", 2, List.of("a", "b"), List.of("b"), List.of());
        assertThat(timeline.takeChanged()).hasSize(1);
        assertThat(timeline.takeChanged()).isEmpty();
        view("b", 1_004, "g", 2, List.of("a", "b"), List.of("a"), List.of());
        assertThat(timeline.takeChanged()).hasSize(1);
    }

    @Test
    void eventsThatWereReadBeforeAreNotReadAgain() {
        Map<String, Object> event = Map.of("number", 5L, "epochMillis", 1L, "kind", "started", "group", "", "text", "", "cause", "");
        Doc page = new Doc(Map.of("events", List.of(event)));
        timeline.onEvents("a", "1", page);
        timeline.onEvents("a", "1", page);
        assertThat(stories().getFirst().number("count")).isEqualTo(1);
        assertThat(timeline.cursor("a", "1")).isEqualTo(5);
        assertThat(timeline.cursor("a", "2")).isZero();
    }

    @Test
    void oldStoriesMakeRoom() {
        for (int each = 0; each < Timeline.STORIES_MAX * 2; each++) {
            view("a", each * 10_000L, "g", each + 2, List.of("a", "m" + each), List.of("m" + each), List.of());
        }
        assertThat(stories()).hasSize(Timeline.STORIES_MAX);
    }

    @Test
    void nonsenseFromAMemberIsNothing() {
        timeline.onEvents("a", "1", new Doc(Map.of("events", List.of(Map.of("number", "x", "kind", 7), "text", List.of()))));
        timeline.onEvents("a", "1", new Doc(Map.of("events", Map.of())));
        tell("a", 1, "view", "g", "", "", Map.of("members", "no list", "come", 3));
        tell("a", 1, "of another version", "g", "", "", Map.of());
        assertThat(stories()).allMatch(story -> story.number("id") > 0);
    }
}
