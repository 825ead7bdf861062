package dev.tutti.grid.bridges.otlp;

import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Attributes of OpenTelemetry as texts by name. */
final class Attributes {

    private static final int LENGTH_MAX = 1_024;
    private static final int ITEMS_MAX = 64;

    private Attributes() {}

    /** Puts attributes into {@code all}. Those without a name, and maps as values, are left out; long texts are cut off. */
    static void put(List<KeyValue> attributes, Map<String, String> all) {
        for (KeyValue each : attributes) {
            if (!each.getKey().isEmpty()) {
                String text = text(each.getValue());
                if (!text.isEmpty()) {
                    all.put(cut(each.getKey()), text);
                }
            }
        }
    }

    static Map<String, String> of(List<KeyValue> attributes) {
        Map<String, String> all = new TreeMap<>();
        put(attributes, all);
        return all;
    }

    private static String text(AnyValue value) {
        return cut(switch (value.getValueCase()) {
            case STRING_VALUE -> value.getStringValue();
            case BOOL_VALUE -> String.valueOf(value.getBoolValue());
            case INT_VALUE -> String.valueOf(value.getIntValue());
            case DOUBLE_VALUE -> String.valueOf(value.getDoubleValue());
            case BYTES_VALUE ->
                Base64.getEncoder().encodeToString(value.getBytesValue().substring(0, Math.min(value.getBytesValue().size(), LENGTH_MAX)).toByteArray());
            case ARRAY_VALUE -> value.getArrayValue().getValuesList().stream()
                    .limit(ITEMS_MAX)
                    // Arrays within arrays are not looked into.
                    .filter(each -> !each.hasArrayValue())
                    .map(Attributes::text)
                    .collect(Collectors.joining(","));
            default -> "";
        });
    }

    private static String cut(String text) {
        return text.length() <= LENGTH_MAX ? text : text.substring(0, LENGTH_MAX);
    }

    static KeyValue of(String name, String value) {
        return KeyValue.newBuilder().setKey(name).setValue(AnyValue.newBuilder().setStringValue(value)).build();
    }
}
