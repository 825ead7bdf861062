package dev.tutti.cli.migration;

import dev.tutti.cli.migration.Element.Attribute;
import dev.tutti.cli.migration.Element.Place;
import dev.tutti.core.Printable;
import dev.tutti.core.settings.SettingException;
import java.util.ArrayList;
import java.util.List;

/**
 * A reader of the XML that JGroups accepts, which is more than XML allows: comments may be nested, and may stand among the
 * attributes of an element. Four of the files that JGroups ships need that, and a parser of the JDK refuses them.
 *
 * <p>It knows no DOCTYPE and no entities but the five of XML and numbers, so that a file can't name others or grow. Length,
 * depth and number of elements are bounded. Text between elements is skipped.
 */
final class XmlReader {

    static final int DEPTH_MAX = 32;
    static final int ITEMS_MAX = 10_000;

    private final String file;
    private final String text;
    private int position;
    private int line = 1;
    private int items;

    private XmlReader(String file, String text) {
        this.file = file;
        this.text = text;
    }

    /**
     * Returns the root of a file.
     *
     * @throws SettingException if the text is no XML, or beyond a limit
     */
    static Element read(String file, String text) {
        XmlReader reader = new XmlReader(file, text);
        reader.skipToElement();
        Element root = reader.element(1);
        reader.skipToElement();
        if (reader.position < text.length()) {
            throw reader.error("there is a second element; a file has one, <config>");
        }
        return root;
    }

    private Element element(int depth) {
        if (depth > DEPTH_MAX) {
            throw error("elements are nested more than " + DEPTH_MAX + " deep; a stack needs 6");
        }
        Place place = place();
        expect("<");
        String name = local(name("an element"));
        List<Attribute> attributes = new ArrayList<>();
        List<Element> children = new ArrayList<>();
        count();
        while (true) {
            skipBlanksAndComments();
            if (take("/>")) {
                return new Element(name, place, List.copyOf(attributes), List.of());
            }
            if (take(">")) {
                break;
            }
            attributes.add(attribute(attributes));
        }
        while (true) {
            skipToElement();
            if (position == text.length()) {
                throw error("<" + shown(name) + "> of line " + place.line() + " does not end; write </" + shown(name) + ">");
            }
            if (!take("</")) {
                children.add(element(depth + 1));
                continue;
            }
            String end = local(name("an end"));
            skipBlanksAndComments();
            expect(">");
            if (!end.equals(name)) {
                throw error("</" + shown(end) + "> ends <" + shown(name) + "> of line " + place.line() + "; write </" + shown(name) + ">");
            }
            return new Element(name, place, List.copyOf(attributes), List.copyOf(children));
        }
    }

    private Attribute attribute(List<Attribute> before) {
        Place place = place();
        String name = name("an attribute");
        count();
        if (before.stream().anyMatch(each -> each.name().equals(name))) {
            throw error("the attribute " + shown(name) + " is there twice; keep one");
        }
        skipBlanksAndComments();
        expect("=");
        skipBlanksAndComments();
        String quote = take("\"") ? "\"" : "'";
        if (quote.equals("'")) {
            expect("'");
        }
        int end = text.indexOf(quote, position);
        if (end < 0) {
            throw error("the value of " + shown(name) + " does not end; write a quote behind it");
        }
        String raw = text.substring(position, end);
        String value = unescape(raw.replaceAll("\\s+", " ").strip());
        advance(end + 1);
        return new Attribute(name, place, value, value);
    }

    private String unescape(String raw) {
        StringBuilder value = new StringBuilder();
        int from = 0;
        for (int ampersand = raw.indexOf('&'); ampersand >= 0; ampersand = raw.indexOf('&', from)) {
            int end = raw.indexOf(';', ampersand);
            String entity = end < 0 ? raw.substring(ampersand + 1) : raw.substring(ampersand + 1, end);
            value.append(raw, from, ampersand).append(entity(entity));
            from = end < 0 ? raw.length() : end + 1;
        }
        return value.append(raw.substring(from)).toString();
    }

    private String entity(String entity) {
        return switch (entity) {
            case "lt" -> "<";
            case "gt" -> ">";
            case "amp" -> "&";
            case "quot" -> "\"";
            case "apos" -> "'";
            default -> character(entity);
        };
    }

    private String character(String entity) {
        try {
            int code = entity.startsWith("#x") ? Integer.parseInt(entity.substring(2), 16)
                    : entity.startsWith("#") ? Integer.parseInt(entity.substring(1)) : -1;
            if (Character.isValidCodePoint(code)) {
                return Character.toString(code);
            }
        } catch (NumberFormatException e) {
            // The message below says what would be right.
        }
        throw error("there is no entity &" + shown(entity) + "; write the character, or &amp; &lt; &gt; &quot; &apos; or a number such as &#64;");
    }

    /** Skips text, comments and instructions, up to an element, an end or the end of the file. */
    private void skipToElement() {
        while (position < text.length()) {
            if (text.startsWith("<!--", position)) {
                skipComment();
            } else if (text.startsWith("<![CDATA[", position)) {
                skipPast("]]>", "CDATA");
            } else if (text.startsWith("<?", position)) {
                skipPast("?>", "an instruction");
            } else if (text.startsWith("<!", position)) {
                throw error("a DOCTYPE is not read, because it can name other files; take it out, a stack needs none");
            } else if (text.charAt(position) == '<') {
                return;
            } else {
                advance(position + 1);
            }
        }
    }

    private void skipBlanksAndComments() {
        while (position < text.length()) {
            if (text.startsWith("<!--", position)) {
                skipComment();
            } else if (Character.isWhitespace(text.charAt(position))) {
                advance(position + 1);
            } else {
                return;
            }
        }
    }

    private void skipComment() {
        int start = line;
        int depth = 0;
        do {
            if (take("<!--")) {
                depth++;
            } else if (take("-->")) {
                depth--;
            } else if (position < text.length()) {
                advance(position + 1);
            } else {
                throw error("the comment of line " + start + " does not end; write -->");
            }
        } while (depth > 0);
    }

    private void skipPast(String end, String what) {
        int index = text.indexOf(end, position);
        if (index < 0) {
            throw error(what + " does not end; write " + end);
        }
        advance(index + end.length());
    }

    private String name(String what) {
        int end = position;
        while (end < text.length() && isInName(text.charAt(end))) {
            end++;
        }
        if (end == position) {
            throw error("here stands the name of " + what + ", or the end of the element");
        }
        String name = text.substring(position, end);
        advance(end);
        return name;
    }

    private static boolean isInName(char character) {
        return Character.isLetterOrDigit(character) || "_-.:@".indexOf(character) >= 0;
    }

    private static String local(String name) {
        return name.substring(name.indexOf(':') + 1);
    }

    private void expect(String expected) {
        if (!take(expected)) {
            throw error("here stands " + expected);
        }
    }

    private boolean take(String expected) {
        boolean isThere = text.startsWith(expected, position);
        if (isThere) {
            advance(position + expected.length());
        }
        return isThere;
    }

    private void advance(int to) {
        for (; position < to; position++) {
            if (text.charAt(position) == '\n') {
                line++;
            }
        }
    }

    private void count() {
        if (++items > ITEMS_MAX) {
            throw error("more than " + ITEMS_MAX + " elements and attributes; is it a stack of JGroups?");
        }
    }

    private Place place() {
        return new Place(file, line);
    }

    private static String shown(String text) {
        return Printable.escape(text.length() > 80 ? text.substring(0, 80) + "..." : text);
    }

    private SettingException error(String message) {
        return new SettingException(place() + ": " + message);
    }
}
