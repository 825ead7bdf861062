package dev.tutti.grid.bridges.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class TopicsTest {

    @Test
    void dotsAndSlashesSeparateLevels() {
        assertThat(Topics.of("jvms/shop", "jvm.memory.used").path()).isEqualTo("jvms/shop/jvm/memory/used");
        assertThat(Topics.of("x", "..a/.b.").path()).isEqualTo("x/a/b");
    }

    @Test
    void hostileNamesMakeTopics() {
        assertThat(Topics.of("x", "a*.#.b\nc.\0").path()).isEqualTo("x/a_/_/b_c/_");
        assertThat(Topics.of("x", "1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17").path())
                .isEqualTo("x/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15.16.17");
        assertThat(Topics.level("")).isEqualTo("_");
        assertThatIllegalArgumentException().isThrownBy(() -> Topics.of("x", "y".repeat(300)));
    }

    @Test
    void aPrefixIsATopicWithRoomBelow() {
        assertThatIllegalArgumentException().isThrownBy(() -> Topics.checkPrefix("a/*"));
        assertThatIllegalArgumentException().isThrownBy(() -> Topics.checkPrefix("1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16"));
        assertThat(Topics.checkPrefix("a/b")).isEqualTo("a/b");
    }
}
