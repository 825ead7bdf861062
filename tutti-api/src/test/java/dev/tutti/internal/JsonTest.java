package dev.tutti.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

    @Test
    void writesAndReadsEveryType() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("z", 1L);
        map.put("a", List.of("x", true, false, 1.5, -7L, Map.of(), List.of()));
        map.put("nothing", null);
        map.put("text", "\"\\\n\r\t\u0000\u007f\u009b\ud83d\ude00 é");
        String json = Json.write(map);
        assertThat(json).startsWith("{\"z\":1,\"a\":[\"x\",true,false,1.5,-7,{},[]],\"nothing\":null,")
                .contains("\\u0000\\u007f\\u009b");
        assertThat(Json.parse(json)).isEqualTo(map);
    }

    @Test
    void writesAllKindsOfValuesOnOneLine() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("text", "a \"quoted\" \\ line\n\u0001 </script>");
        values.put("number", 12);
        values.put("list", Arrays.asList(1, null, true));
        values.put("empty", Map.of());
        values.put("none", List.of());
        assertThat(Json.write(values))
                .isEqualTo("{\"text\":\"a \\\"quoted\\\" \\\\ line\\n\\u0001 \\u003c/script>\",\"number\":12,"
                        + "\"list\":[1,null,true],\"empty\":{},\"none\":[]}");
    }

    @Test
    void writesNoNumberThatJsonDoesNotHave() {
        assertThat(Json.write(Arrays.asList(Double.NaN, Double.POSITIVE_INFINITY))).isEqualTo("[null,null]");
        assertThat(Json.write("\ud83d")).isEqualTo("\"\\ud83d\"");
    }

    @Test
    void readsWholeNumbersThatFitAsTheyAre() {
        assertThat(Json.parse("[9223372036854775807,-9223372036854775808,9223372036854775808]"))
                .isEqualTo(List.of(Long.MAX_VALUE, Long.MIN_VALUE, 9223372036854775808.0));
    }

    @Test
    void refusesToWriteOtherTypes() {
        assertThatThrownBy(() -> Json.write(List.of(new Object())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no JSON for java.lang.Object");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "{", "[", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "01", "1.", "-", "+1", ".5", "1e", "tru",
                "nul", "\"", "\"\\x\"", "\"\\u12g4\"", "\"\n\"", "1 2", "[1 2]", "NaN", "'a'"})
    void refusesWhatIsNoJson(String text) {
        assertThatThrownBy(() -> Json.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("no JSON: ");
    }

    @Test
    void boundsTheDepth() {
        assertThatThrownBy(() -> Json.parse("[".repeat(100_000))).hasMessageContaining("nested more than 64 levels deep");
    }
}
