package dev.tutti.stomp.internal.codec;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The headers of a frame, in their order, unescaped. The first of repeated ones counts. */
public final class Headers {

    /** Names and values, alternating. */
    private final List<String> texts = new ArrayList<>();

    public Headers() {}

    /** @param texts names and values, alternating */
    public static Headers of(String... texts) {
        Headers headers = new Headers();
        for (int index = 0; index < texts.length; index += 2) {
            headers.add(texts[index], texts[index + 1]);
        }
        return headers;
    }

    public Headers add(String name, String value) {
        texts.add(name);
        texts.add(value);
        return this;
    }

    public int count() {
        return texts.size() / 2;
    }

    public String name(int index) {
        return texts.get(2 * index);
    }

    public String value(int index) {
        return texts.get(2 * index + 1);
    }

    /** Returns the first value of a name. */
    public @Nullable String get(String name) {
        for (int index = 0; index < texts.size(); index += 2) {
            if (texts.get(index).equals(name)) {
                return texts.get(index + 1);
            }
        }
        return null;
    }

    /** Returns the number of characters of all names and values. */
    public int length() {
        int length = 0;
        for (String text : texts) {
            length += text.length();
        }
        return length;
    }

    @Override
    public String toString() {
        return texts.toString();
    }
}
