package dev.tutti.console.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.Health;
import dev.tutti.Problem;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PageContentTest {

    private final PageContent figures = new PageContent();

    private static Map<String, Object> member(String name) {
        return Map.of("name", name, "address", name + ":1", "incarnation", 1L);
    }

    private static Map<String, Object> group(String view, String... members) {
        Map<String, Object> group = new LinkedHashMap<>();
        group.put("name", "g");
        group.put("joined", true);
        group.put("view", Map.of(
                "id", view, "number", 3L, "coordinator", members[0],
                "members", List.of(members).stream().map(PageContentTest::member).toList()));
        group.put("parts", Map.of("delivery", Map.of("messages", 10L)));
        return group;
    }

    private static Map<String, Object> link(String peer, String state, boolean isSuspected) {
        return Map.of(
                "peer", peer, "address", peer + ":1", "incarnation", 1L, "state", state, "suspected", isSuspected,
                "parts", Map.of("link", Map.of("sent-bytes", 5L)));
    }

    private static Doc document(String name, long nanos, List<?> links, List<?> groups) {
        return new Doc(Map.of(
                "nanoTime", nanos, "node", Map.of("name", name, "incarnation", 1L, "cluster", "c"), "links", links, "groups",
                groups, "health", Map.of("reasons", List.of())));
    }

    private Doc show(Map<String, Doc> documents) {
        return new Doc(figures.of("a", documents, 1));
    }

    @Test
    void membersInOneViewAgree() {
        Doc model = show(Map.of(
                "a", document("a", 1, List.of(link("b", "open", false)), List.of(group("3.1@a", "a", "b"))),
                "b", document("b", 1, List.of(link("a", "open", false)), List.of(group("3.1@a", "a", "b")))));
        assertThat(model.list("members")).extracting(each -> each.text("state")).containsOnly("answers");
        Doc group = model.list("groups").getFirst();
        assertThat(group.list("views")).hasSize(1);
        assertThat(group.list("views").getFirst().texts("holders")).containsExactlyInAnyOrder("a", "b");
        assertThat(group.is("split")).isFalse();
        assertThat(model.list("attention")).isEmpty();
    }

    @Test
    void attributesAreThoseThatAreAnnouncedOrElseThoseOfTheSettings() {
        Map<String, Object> node = Map.of("name", "a", "incarnation", 1L, "cluster", "c", "settings", Map.of("attributes", "zone=eu-1a,note=x=y"));
        Doc fixed = show(Map.of("a", new Doc(Map.of("nanoTime", 1L, "node", node)))).list("members").getFirst();
        assertThat(fixed.at("attributes").values()).isEqualTo(Map.of("zone", "eu-1a", "note", "x=y"));
        assertThat(fixed.is("announces")).isFalse();
        Doc announced = show(Map.of("a", new Doc(Map.of("nanoTime", 1L, "node", node, "parts", Map.of("attributes", Map.of("zone", "eu-1b"))))))
                .list("members").getFirst();
        assertThat(announced.at("attributes").values()).isEqualTo(Map.of("zone", "eu-1b"));
        assertThat(announced.is("announces")).isTrue();
    }

    @Test
    void viewsWithNobodyInCommonAreASplit() {
        Doc model = show(Map.of(
                "a", document("a", 1, List.of(), List.of(group("4.1@a", "a"))),
                "b", document("b", 1, List.of(), List.of(group("4.1@b", "b")))));
        assertThat(model.list("groups").getFirst().is("split")).isTrue();
        assertThat(model.list("attention")).extracting(each -> each.text("kind")).containsExactly("split");
    }

    @Test
    void inASplitOnlyThoseAreNotHeardWhomNoSideHears() {
        Doc model = show(Map.of(
                "a", document("a", 1, List.of(link("b", "closed", true), link("c", "closed", true)), List.of(group("4.1@a", "a"))),
                "b", document("b", 1, List.of(link("a", "closed", true)), List.of(group("4.1@b", "b")))));
        assertThat(model.list("attention")).extracting(each -> each.text("text"))
                .hasSize(2)
                .last().isEqualTo("c is not heard by others");
    }

    @Test
    void aViewOnItsWayIsNoSplit() {
        Doc model = show(Map.of(
                "a", document("a", 1, List.of(), List.of(group("4.1@a", "a", "b"))),
                "b", document("b", 1, List.of(), List.of(group("3.1@a", "a", "b", "c")))));
        assertThat(model.list("groups").getFirst().is("split")).isFalse();
    }

    @Test
    void whomOthersDoNotHearIsThereAndSilent() {
        Doc model = show(Map.of("a", document("a", 1, List.of(link("b", "closed", true)), List.of())));
        assertThat(model.list("members")).extracting(each -> each.text("name") + " " + each.text("state"))
                .containsExactly("a answers", "b silent");
        assertThat(model.list("attention").getFirst().text("text")).isEqualTo("b is not heard by others");
    }

    @Test
    void whoHasLeftIsNotThere() {
        Doc model = show(Map.of("a", document("a", 1, List.of(link("b", "closed", false)), List.of())));
        assertThat(model.list("members")).hasSize(1);
        assertThat(model.list("links")).isEmpty();
    }

    @Test
    void linksInTroubleAreShownWhenThereIsNoRoomForAll() {
        List<Object> links = new ArrayList<>();
        for (int each = 0; each < PageContent.LINKS_MAX + 10; each++) {
            links.add(link("m" + each, "open", false));
        }
        links.add(link("z", "resuming", false));
        Doc model = show(Map.of("a", document("a", 1, links, List.of())));
        assertThat(model.list("links")).hasSize(PageContent.LINKS_MAX);
        assertThat(model.list("links").getFirst().text("to")).isEqualTo("z");
        assertThat(model.number("linksLeftOut")).isEqualTo(11);
    }

    @Test
    void relayedLinksNameTheirServerAndWhyTheyAreNotDirect() {
        Map<String, Object> relayed = Map.of(
                "peer", "b", "address", "b:1", "incarnation", 1L, "state", "open", "suspected", false, "roundTripMicros", 900L,
                "parts", Map.of("link", Map.of(
                        "sent-bytes", 5L, "received-bytes", 7L, "relay", "meet:443", "direct-failure", "nobody listens on b:1")));
        Doc link = show(Map.of("a", document("a", 1, List.of(relayed), List.of()))).list("links").getFirst();
        assertThat(link.text("relay")).isEqualTo("meet:443");
        assertThat(link.text("directFailure")).isEqualTo("nobody listens on b:1");
        assertThat(link.number("bytes")).isEqualTo(12);
    }

    @Test
    void documentsOfAnotherShapeAreSurvived() {
        Doc model = show(Map.of(
                "a", new Doc(Map.of("links", "none", "groups", List.of(7, Map.of("view", List.of())), "node", 3)), "b", Doc.EMPTY));
        assertThat(model.list("members")).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource
    void problemOfAnyKindNeedsAttentionAndIsShownWithItsNextStep(Problem.Kind kind) {
        Problem problem = new Problem(kind, "g", "", Instant.EPOCH, "the trouble", "the way out");
        Health health = new Health(true, kind.isReady(), List.of("the trouble; next step: the way out"), List.of(problem));
        Doc model = show(Map.of("a", new Doc(Map.of("node", Map.of("name", "a", "incarnation", 1L), "health", health.document()))));
        Doc member = model.list("members").getFirst();
        assertThat(member.number("problems")).isOne();
        assertThat(member.texts("reasons")).containsExactly("the trouble; next step: the way out");
        assertThat(model.list("attention")).anySatisfy(each -> assertThat(each.text("text")).contains("the trouble", "the way out"));
    }
}
