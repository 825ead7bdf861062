package dev.tutti.console.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.console.internal.SitesContent.Remark;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SitesContentTest {

    private static Map<String, Object> part(String name, Map<String, String> labels, Map<String, Object> values) {
        return Map.of("part", name, "labels", labels, "values", values);
    }

    private static Map<String, Object> site(String name, String state, String members) {
        return part("site", Map.of("site", name), Map.of("state", state, "members", members));
    }

    private static Map<String, Object> link(String site, long messages, Map<String, Object> more) {
        Map<String, Object> values = new TreeMap<>(more);
        values.put("lag-messages", messages);
        values.put("lag-bytes", 100 * messages);
        values.put("lag-millis", 10 * messages);
        return part("site-link", Map.of("group", "orders", "site", site), values);
    }

    private static Map<String, Object> group(long retainedBytes) {
        return part("site-group", Map.of("group", "orders"), Map.of(
                "retained", 7L, "retained-bytes", retainedBytes, "retained-bytes-max", 1_000L, "when-full", "wait", "kept-in", "memory"));
    }

    private static Doc document(long view, boolean isMaster, Map<?, ?>... parts) {
        List<Object> components = new ArrayList<>(List.of(parts));
        components.add(part("sites", Map.of(), Map.of("site", "berlin", "view", view, "bridge-open", isMaster ? 1L : 0L)));
        return new Doc(Map.of("components", components));
    }

    @Test
    void aClusterOfItsOwnHasNoContent() {
        assertThat(SitesContent.of(Map.of("a", Doc.EMPTY, "b", new Doc(Map.of("components", List.of(7, "x")))))).isEmpty();
        assertThat(SitesContent.remarks(Map.of())).isEmpty();
    }

    @Test
    void theListIsTheLatestThatAMemberWasTold() {
        Doc content = new Doc(SitesContent.of(new TreeMap<>(Map.of(
                "a", document(3, false, site("berlin", "up", "a, b"), site("paris", "up", "c")),
                "b", document(4, true, site("berlin", "up", "a, b"), site("paris", "away", "c, d"))))));
        assertThat(content.text("own")).isEqualTo("berlin");
        assertThat(content.number("number")).isEqualTo(4);
        assertThat(content.texts("masters")).containsExactly("b");
        assertThat(content.list("sites")).extracting(site -> site.text("name") + " " + site.text("state") + " " + site.texts("members"))
                .containsExactly("berlin up [a, b]", "paris away [c, d]");
    }

    @Test
    void aLinkIsThatOfTheMasterThatSendsOverItOrElseTheLongest() {
        Map<String, Object> open = Map.of("open", 1L, "receiver", "c", "window-bytes", 50L, "in-flight-bytes", 20L, "acknowledged-micros", 9L);
        Doc content = new Doc(SitesContent.of(new TreeMap<>(Map.of(
                "a", document(1, false, link("paris", 5, Map.of()), link("tokyo", 1, Map.of())),
                "b", document(1, true, link("paris", 2, open), link("tokyo", 3, Map.of()))))));
        Doc paris = content.list("links").getFirst();
        assertThat(paris.text("from")).isEqualTo("b");
        assertThat(paris.text("to")).isEqualTo("c");
        assertThat(paris.number("lagMessages")).isEqualTo(2);
        assertThat(paris.number("acknowledgedMicros")).isEqualTo(9);
        Doc tokyo = content.list("links").getLast();
        assertThat(tokyo.text("from")).isEmpty();
        assertThat(tokyo.is("open")).isFalse();
        assertThat(tokyo.number("lagMessages")).isEqualTo(3);
        assertThat(content.list("sites")).extracting(site -> site.text("name") + " " + site.text("state"))
                .containsExactly("paris expected", "tokyo expected");
    }

    @Test
    void sitesThatAreNotThereAndLittleRoomNeedAttention() {
        Map<String, Object> content = SitesContent.of(Map.of(
                "a", document(1, true, site("paris", "away", ""), site("tokyo", "suspected", ""), site("oslo", "up", ""), group(800))));
        assertThat(SitesContent.remarks(content)).extracting(Remark::text).containsExactly(
                "Site paris is away",
                "Site tokyo is suspected: it has no master",
                "Group orders keeps 80 % of what it may for other sites: beyond that, sends wait");
        assertThat(SitesContent.remarks(SitesContent.of(Map.of("a", document(1, true, group(799)))))).isEmpty();
    }
}
