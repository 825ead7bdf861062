package dev.tutti.grid.match;

import dev.tutti.grid.Filter;
import dev.tutti.grid.Measurement;
import java.util.List;
import java.util.Map;
import org.apache.activemq.artemis.selector.filter.BooleanExpression;
import org.apache.activemq.artemis.selector.filter.FilterException;
import org.jspecify.annotations.Nullable;

/**
 * A selector that has been read: conditions on a measurement, as {@link Filter#where} describes them. Safe for use by several
 * threads.
 *
 * <p>Tags are texts and are compared with texts only: {@code status = '404'}. A comparison of what a measurement does not have is
 * unknown, and so is its negation; measurements are chosen whose conditions are true. So {@code host <> 'web1'} does not choose
 * measurements without the tag {@code host}. A value that is not a number is unknown, too. A tag whose name is not made of letters,
 * digits, {@code _} and {@code $} stands in double quotes: {@code "service.name" = 'shop'}. Names of tags tell capitals from small
 * letters; keywords do not. A tag that is called {@code topic}, {@code producer}, {@code value}, {@code unit} or {@code time} can
 * only be chosen by {@link Filter#tags}.
 *
 * <p>Arithmetic with other things than numbers makes the whole selector choose nothing. Texts
 * of more than {@value Like#TEXT_MAX} characters are LIKE no pattern.
 */
public final class Selector {

    private static final Selector ALL = new Selector("", List.of(), Rest.NONE);

    private final String text;
    private final List<Tag> required;
    private final Rest rest;

    /** A tag with a value. */
    record Tag(String name, String value) {}

    private Selector(String text, List<Tag> required, Rest rest) {
        this.text = text;
        this.required = required;
        this.rest = rest;
    }

    /**
     * Reads a selector. An empty one chooses all measurements.
     *
     * @throws IllegalArgumentException if the text is not a selector; the message says where and why
     */
    public static Selector parse(String text) {
        if (text.isBlank()) {
            return ALL;
        }
        SelectorText words = new SelectorText(text);
        BooleanExpression all = words.parse();
        List<Tag> required = List.copyOf(words.takeRequired());
        String rest = words.rest();
        if (rest.isEmpty()) {
            return new Selector(text, required, Rest.NONE);
        }
        BooleanExpression expression = required.isEmpty() ? all : words.parse();
        return new Selector(text, required, new Rest(rest, expression, Map.copyOf(words.likes())));
    }

    /** Returns whether the measurement is chosen. */
    public boolean matches(Measurement measurement) {
        for (Tag tag : required) {
            if (!tag.value().equals(measurement.tags().get(tag.name()))) {
                return false;
            }
        }
        View view = new View();
        view.show(measurement);
        return rest.matches(view);
    }

    /** Returns tags that all chosen measurements have. */
    List<Tag> required() {
        return required;
    }

    /** Returns the conditions on a measurement that has the required tags. */
    Rest rest() {
        return rest;
    }

    /** Returns the text that was read. */
    @Override
    public String toString() {
        return text;
    }

    /** Conditions besides tags with a value. */
    static final class Rest {

        static final Rest NONE = new Rest("", null, Map.of());

        private final String text;
        private final @Nullable BooleanExpression expression;
        private final Map<String, Like> likes;

        Rest(String text, @Nullable BooleanExpression expression, Map<String, Like> likes) {
            this.text = text;
            this.expression = expression;
            this.likes = likes;
        }

        /** Returns the words; empty if there is no condition. */
        String text() {
            return text;
        }

        boolean matches(View view) {
            if (expression == null) {
                return true;
            }
            view.ask(likes);
            try {
                return expression.matches(view);
            } catch (FilterException | RuntimeException e) {
                // The library's answer to operands of a wrong type, which depend on the measurement.
                return false;
            }
        }
    }
}
