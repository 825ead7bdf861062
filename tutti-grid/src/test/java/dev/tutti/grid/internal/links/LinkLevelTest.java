package dev.tutti.grid.internal.links;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.NodeId;
import dev.tutti.grid.Topic;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LinkLevelTest {

    @Test
    void namesStayAsTheyAreWhereTheyMay() {
        assertThat(Stream.of("web1", "Zürich Nord", "a.b-c_d").map(LinkLevel::of)).containsExactly("web1", "Zürich Nord", "a.b-c_d");
    }

    @Test
    void namesThatMayNotBeLevelsAreWrittenOtherwiseAndStayDifferent() {
        assertThat(Stream.of("", "-", "a/b", "a%2Fb", "*", "#", "web1:7800", "a\tb").map(LinkLevel::of))
                .containsExactly("-", "%2D", "a%2Fb", "a%252Fb", "%2A", "%23", "web1%3A7800", "a%09b")
                .doesNotHaveDuplicates();
    }

    @Test
    void topicsOfTheLongestNamesAreNotTooLong() {
        String longest = "/".repeat(NodeId.TEXT_MAX);
        String level = LinkLevel.of(longest);
        assertThat(level).hasSizeLessThanOrEqualTo(LinkLevel.LENGTH_MAX).isNotEqualTo(LinkLevel.of(longest.substring(1)));
        assertThat(Topic.of("tutti/links/" + level + '/' + level + '/' + level + ':' + level + "/retransmitted-segments").path())
                .hasSizeLessThanOrEqualTo(Topic.LENGTH_MAX);
        assertThat(LinkLevel.of("x".repeat(LinkLevel.LENGTH_MAX - 10) + "\uD83D\uDE00".repeat(20))).doesNotContain("\uD83D~");
    }
}
