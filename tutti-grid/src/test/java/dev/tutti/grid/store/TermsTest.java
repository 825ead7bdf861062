package dev.tutti.grid.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.grid.match.Patterns;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TermsTest {

    @ParameterizedTest
    @CsvSource({"hosts/web1/cpu, /hosts/web1/cpu/", "hosts/web1/*, /hosts/web1/", "hosts/*/cpu, /hosts/", "hosts/#, /hosts/", "a, /a/", "*, /", "#, /"})
    void theTermOfAPatternIsItsPathBeforeTheFirstWildcard(String pattern, String term) {
        assertThat(Terms.ofTopic(pattern)).isEqualTo(term);
    }

    @Test
    void aTermBeginsWithOthers() {
        assertThat(Terms.beginnings("/hosts/web1/cpu/")).containsExactly("/", "/hosts/", "/hosts/web1/");
        assertThat(Terms.beginnings(Terms.ROOT)).isEmpty();
    }

    /** All pairs of patterns with up to three levels. */
    @Test
    void noPatternWithATopicInCommonIsMissing() {
        List<String> patterns = new ArrayList<>(List.of("#"));
        List<String> longest = List.of("");
        for (int length = 0; length < 3; length++) {
            List<String> next = new ArrayList<>();
            for (String beginning : longest) {
                List.of("a", "b", "ab", "*").forEach(level -> next.add(beginning + level + "/"));
            }
            next.forEach(each -> patterns.addAll(List.of(each + "#", each.substring(0, each.length() - 1))));
            longest = next;
        }
        int overlaps = 0;
        for (String first : patterns) {
            for (String second : patterns) {
                if (Patterns.overlap(first, second)) {
                    overlaps++;
                    String term = Terms.ofTopic(first);
                    String other = Terms.ofTopic(second);
                    boolean isCandidate = Terms.beginnings(other).contains(term)
                            || term.compareTo(other) >= 0 && term.compareTo(Terms.after(other)) < 0;
                    assertThat(isCandidate).as(term + " for " + other).isTrue();
                }
            }
        }
        assertThat(overlaps).isGreaterThan(5_000);
    }
}
