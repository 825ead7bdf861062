package dev.tutti.grid.mediator;

import dev.tutti.grid.ClockQuality;
import dev.tutti.grid.Measurement;
import dev.tutti.internal.Json;
import java.time.Instant;
import java.util.List;

/** Measurements that are posted to a mediator as JSON. */
public final class PostedText {

    private PostedText() {}

    /** Returns texts with each type of body. */
    public static String[] examples() {
        return new String[] {
            "{\"producer\": \"room1\", \"topic\": \"rooms/1/heat\", \"value\": 21.5, \"unit\": \"Cel\", \"tags\": {\"floor\": \"2\"}, \"time\": 1}",
            "[{\"topic\": \"a/b\", \"text\": \"x\", \"time\": \"2026-11-28T10:15:30Z\"}, {\"topic\": \"7\", \"bytes\": \"AAEC\"}]",
            "{\"topic\": \"a\", \"values\": {\"x\": 1, \"y\": \"z\", \"w\": {\"value\": 2, \"unit\": \"s\"}}}",
            "{\"topic\": \"a\", \"histogram\": {\"bounds\": [1, 2.5], \"counts\": [1, 2, 3], \"sum\": 9, \"unit\": \"ms\"}}"
        };
    }

    /**
     * Reads measurements, and writes them as an answer.
     *
     * @param onRead called when they have been read
     * @throws IllegalArgumentException if the text is refused
     */
    public static String read(String text, Runnable onRead) {
        List<JsonForms.Posted> all = JsonForms.posted(text);
        onRead.run();
        for (JsonForms.Posted each : all) {
            Instant time = each.time() == null ? Instant.EPOCH : each.time();
            Measurement measurement = new Measurement("p", 1, each.topic(), each.tags(), time, ClockQuality.UNKNOWN, each.body());
            Json.parse(Json.write(JsonForms.measurement(measurement)));
        }
        return "taken";
    }
}
