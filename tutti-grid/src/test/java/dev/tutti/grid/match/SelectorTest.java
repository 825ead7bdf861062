package dev.tutti.grid.match;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tutti.grid.Body;
import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Measurement;
import dev.tutti.grid.Topic;
import java.io.StringReader;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.activemq.artemis.selector.strict.StrictParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SelectorTest {

    private static final Measurement LOAD = measurement(
            "hosts/web1/load", Map.of("host", "web1", "service.name", "shop", "status", "404", "path", "50%", "topic", "x"), Body.of(49, "ms"));

    static Measurement measurement(String topic, Map<String, String> tags, Body body) {
        return new Measurement("p1", 1, Topic.of(topic), tags, Instant.ofEpochMilli(1_000), ClockQuality.UNKNOWN, body);
    }

    private static boolean matches(String selector) {
        return Selector.parse(selector).matches(LOAD);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "  ", "TRUE", "value > 48", "value = 49", "value BETWEEN 48 AND 49", "value * 2 + 1 = 99", "unit = 'ms'", "time = 1000",
        "topic = 'hosts/web1/load'", "producer = 'p1'", "host = 'web1'", "'web1' = host", "\"service.name\" = 'shop'", "status = '404'",
        "host = 'web1' AND status = '404' AND value > 48", "value > 48 AND host = 'web1'", "(host = 'web1')", "host = 'x' OR value > 48",
        "host IN ('a', 'web1')", "host NOT IN ('a', 'b')", "missing IS NULL", "host IS NOT NULL", "host <> 'web2'", "NOT host = 'web2'",
        "NOT host = 'web2' AND NOT value < 3", "NOT NOT host = 'web1'", "NOT (host = 'x' OR value < 3)", "(NOT host = 'x') AND TRUE",
        "NOT value BETWEEN 1 AND 3 AND value > 4", "NOT host = 'x' OR missing = 'y'", "NOT missing IS NOT NULL",
        "host LIKE 'web_'", "host LIKE '%1'", "host LIKE '%'", "NOT host LIKE 'x%'", "host NOT LIKE 'x%' AND value > 1",
        "path LIKE '50!%' ESCAPE '!'", "path LIKE '__!%' ESCAPE '!'", "'a!' <> 'b' AND path NOT LIKE 'a!!' ESCAPE '!'", "topic LIKE 'hosts/%/load'", "\"service.name\" LIKE 's%'",
        "host LIKE 'a' OR host LIKE 'b' OR host LIKE 'web%'", "value BETWEEN 1 AND 50 AND host = 'web1'", "host =\n'web1'"})
    void chooses(String selector) {
        assertThat(matches(selector)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "FALSE", "value > 49", "NOT host = 'web1'", "NOT value BETWEEN 1 AND 50", "NOT (host = 'x' OR value > 3)", "NOT missing = 'x' AND TRUE",
        "NOT host = 'x' AND value > 50", "NOT (NOT host = 'x')", "unit = 's'", "host = 'web2'", "Host = 'web1'", "missing = 'x'", "missing <> 'x'", "NOT missing = 'x'",
        "missing LIKE '%'", "missing NOT LIKE 'x'", "NOT (missing LIKE 'x')", "missing > 1", "status = 404", "status > 400",
        "value = '49'", "host", "value", "host + 1 > 3", "host = 'web1' AND value > 49", "host = 'web1' AND host = 'web2'",
        "path LIKE '5!%' ESCAPE '!'", "value LIKE '4%'", "topic = 'x'", "host LIKE 'WEB1'", "host LIKE 'eb'"})
    void choosesNot(String selector) {
        assertThat(matches(selector)).isFalse();
    }

    @Test
    void knowsBodiesOtherThanNumbers() {
        Measurement text = measurement("a", Map.of(), Body.of("49"));
        assertThat(Selector.parse("value IS NULL AND unit IS NULL").matches(text)).isTrue();
        Measurement histogram = measurement("a", Map.of(), new Body.Histogram(List.of(1.0), List.of(1L, 2L), 5, "s"));
        assertThat(Selector.parse("value IS NULL AND unit = 's'").matches(histogram)).isTrue();
        Measurement notANumber = measurement("a", Map.of(), Body.of(Double.NaN));
        assertThat(Selector.parse("value > 5 OR value <= 5").matches(notANumber)).isFalse();
        assertThat(Selector.parse("value = 0").matches(measurement("a", Map.of(), Body.of(-0.0)))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "value > 3 foo|character 11: foo: it is not expected", "value >> 3|character 8: >", "host == 'x'|equal is a single =",
        "value != 3|unequal is <>", "a && b|AND, OR, NOT", "a = 'b|single quote", "a.b = 'x'|double quotes", "a AND|something is missing",
        "NOT|character 3: its end: something is missing", "NOT AND a|character 5: AND: it is not", "(a|something is missing", "a)|character 2: )", "3|a condition is missing", "'a' > 'b'|cannot be compared",
        "a LIKE b|a text is expected after LIKE", "a+b LIKE 'x'|LIKE follows a name", "LIKE 'x'|LIKE follows a name",
        "a LIKE 'x' ESCAPE 'xy'|one character is expected", "a LIKE 'x!' ESCAPE '!'|ends with its escape", "a LIKE 'x!!!' ESCAPE '!'|character 8: 'x!!!'", "a IN (1)|character 7: 1",
        "a = 0xfffffffffffffffffffffffff|not a number", "XPATH 'a'|XPATH and XQUERY are not possible", "a OR xquery 'a'|are not possible",
        "\"like 0\" = 'x'|can't begin", "a =\n 'b' ?|line 2, character 5", "host = 'a' AND|something is missing", "AND host = 'a'|character 1: AND",
        "host = 'a' AND AND host = 'b'|character 16: AND"})
    void refusesWithTheReasonAndThePlace(String example) {
        String[] parts = example.split("\\|");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Selector.parse(parts[0]))
                .withMessageStartingWith("the selector ")
                .withMessageContaining(parts[1]);
    }

    @Test
    void refusesWhatIsLongOrDeep() {
        assertThatIllegalArgumentException().isThrownBy(() -> Selector.parse("a".repeat(1_025))).withMessageContaining("1024 characters, not 1025");
        for (String nested : List.of("(".repeat(40) + "a" + ")".repeat(40), "NOT ".repeat(40) + "a", "-".repeat(1_000) + "a = 1", "+(".repeat(300))) {
            assertThatIllegalArgumentException().isThrownBy(() -> Selector.parse(nested)).withMessageContaining("deeper than 32");
        }
        assertThat(matches("(".repeat(32) + "host = 'web1'" + ")".repeat(32))).isTrue();
        assertThat(matches("a = 'b' OR ".repeat(90) + "TRUE")).isTrue();
        assertThat(matches("host NOT IN (" + "'a',".repeat(240) + "'a')")).isTrue();
    }

    /** The library's regular expression would take longer than the age of the universe. */
    @Test
    @Timeout(60)
    void patternsThatAreCatastrophicAsRegularExpressionsAreNot() {
        String pattern = "%a".repeat(400) + "b";
        Measurement hostile = measurement("a", Map.of("x", "a".repeat(Like.TEXT_MAX)), Body.of(1));
        assertThat(Selector.parse("x LIKE '" + pattern + "'").matches(hostile)).isFalse();
        assertThat(Selector.parse("x LIKE '%a'").matches(hostile)).isTrue();
        Measurement longer = measurement("a", Map.of(), Body.of(1, "a".repeat(Like.TEXT_MAX + 1)));
        assertThat(Selector.parse("unit LIKE '%a'").matches(longer)).isFalse();
    }

    @Test
    void likeAgreesWithRegularExpressions() {
        Random random = new Random(7);
        int matched = 0;
        for (int i = 0; i < 50_000; i++) {
            String pattern = draw(random, "ab_%", 8);
            String text = draw(random, "ab", 10);
            boolean expected = Pattern.matches(pattern.replace("%", ".*").replace("_", "."), text);
            assertThat(new Like("x", pattern, -1).matches(text)).as(text + " LIKE " + pattern).isEqualTo(expected);
            matched += expected ? 1 : 0;
        }
        assertThat(matched).isBetween(5_000, 45_000);
    }

    private static String draw(Random random, String letters, int lengthMax) {
        return random.ints(random.nextInt(lengthMax + 1), 0, letters.length())
                .mapToObj(index -> letters.substring(index, index + 1))
                .collect(Collectors.joining());
    }

    /** Words in a random order: each is refused with a reason, or evaluated as the library itself does, and nothing else happens. */
    @Test
    void anyWordsAreRefusedOrEvaluated() throws Exception {
        String[] words = {"host", "status", "value", "missing", "\"service.name\"", "'web1'", "'404'", "'x'", "1", "49", "2.5e3", "0x1f", "=", "<>",
            ">", "<=", "+", "-", "*", "/", "(", ")", "AND", "OR", "IS", "NULL", "BETWEEN", "IN", ",", "TRUE", "AND", "=", "host", "'web1'"};
        String[] conditions = {"host = 'web1'", "'404' = status", "value > 48", "missing = 'x'", "host <> 'x'", "value BETWEEN 1 AND 49",
            "(host = 'web1' OR missing = 'y')", "NOT (status = '404')", "status IS NOT NULL", "host IN ('web1')"};
        Random random = new Random(11);
        int taken = 0;
        int chosen = 0;
        for (int i = 0; i < 40_000; i++) {
            boolean isSound = random.nextBoolean();
            int count = 1 + random.nextInt(isSound ? 4 : 8);
            StringBuilder text = new StringBuilder();
            for (int word = 0; word < count; word++) {
                String[] from = isSound ? conditions : words;
                text.append(word > 0 && isSound ? random.nextInt(4) > 0 ? " AND " : " OR " : " ").append(from[random.nextInt(from.length)]);
            }
            Throwable refusal = catchThrowable(() -> Selector.parse(text.toString()));
            if (refusal == null) {
                taken++;
                boolean isChosen = matches(text.toString());
                chosen += isChosen ? 1 : 0;
                assertThat(isChosen).as(text.toString()).isEqualTo(evaluated(text.toString()));
            } else {
                assertThat(refusal).as(text.toString()).isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith("the selector ");
            }
        }
        assertThat(taken).isGreaterThan(20_000);
        assertThat(chosen).isBetween(2_000, taken - 2_000);
    }

    /** Returns the answer of the library alone. */
    private static boolean evaluated(String text) throws Exception {
        View view = new View();
        view.show(LOAD);
        try {
            return new StrictParser(new StringReader(text)).JmsSelector().matches(view);
        } catch (RuntimeException e) {
            return false;
        }
    }

    @Test
    void takesOutTheTagsThatItRequires() {
        Selector selector = Selector.parse("host = 'it''s' AND value > 3 AND 'b' = \"a.b\"");
        assertThat(selector.required()).containsExactly(new Selector.Tag("host", "it's"), new Selector.Tag("a.b", "b"));
        assertThat(selector.rest().text()).isEqualTo("value > 3");
        assertThat(Selector.parse("host = 'a' AND status = 'b'").rest().text()).isEmpty();
        for (String none : List.of("host = 'a' OR value > 3", "NOT host = 'a'", "value BETWEEN 1 AND host = 'a'", "topic = 'a'", "host <> 'a'",
                "host = status", "(host = 'a' OR status = 'b')", "value > 3")) {
            assertThat(Selector.parse(none).required()).as(none).isEmpty();
            assertThat(Selector.parse(none).toString()).isEqualTo(none);
        }
    }
}
