package dev.tutti.internal.admission;

import dev.tutti.core.settings.Nearest;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Reader of rules. In rising precedence: {@code or}, {@code and}, {@code not}, then a test or a rule in parentheses. A test is
 * {@code token}, or an attribute, an operator and a value. The operators are {@code =}, {@code ^=} (begins with), {@code ~}
 * (matches a regular expression) and {@code in} (is a line of a file). A value with blanks, parentheses or quotes is quoted.
 */
final class RuleParser {

    private static final int TEXT_MAX = 10_000;
    private static final int DEPTH_MAX = 64;
    private static final List<String> OPERATORS = List.of("=", "^=", "~", "in");
    private static final Path NO_FILE = Path.of("token");

    private final String text;
    private final TokenFile token;
    private int at;
    private int depth;
    private boolean hasToken;

    private RuleParser(String text, TokenFile token) {
        this.text = text;
        this.token = token;
    }

    /**
     * A rule that was read.
     *
     * @param hasToken whether it tests the token
     */
    record Parsed(Rule rule, boolean hasToken) {}

    /**
     * Reads a rule. Reads no file.
     *
     * @throws IllegalArgumentException if it is none; the message says where, and what would be right
     */
    static Parsed parse(String text, TokenFile token) {
        if (text.length() > TEXT_MAX) {
            throw new IllegalArgumentException("the rule has " + text.length() + " characters, at most " + TEXT_MAX);
        }
        RuleParser parser = new RuleParser(text, token);
        Rule rule = parser.any();
        if (parser.at < text.length()) {
            throw parser.wrong("'" + parser.rest() + "' can't stand", "and, or, or the end of the rule");
        }
        return new Parsed(rule, parser.hasToken);
    }

    /** Checks the text of a rule; an empty one is right. */
    static void check(String text) {
        if (!text.isBlank()) {
            parse(text, new TokenFile(NO_FILE));
        }
    }

    private Rule any() {
        List<Rule> parts = new ArrayList<>(List.of(all()));
        while (takes("or")) {
            parts.add(all());
        }
        return parts.size() == 1 ? parts.getFirst() : new Rule.Any(List.copyOf(parts));
    }

    private Rule all() {
        List<Rule> parts = new ArrayList<>(List.of(one()));
        while (takes("and")) {
            parts.add(one());
        }
        return parts.size() == 1 ? parts.getFirst() : new Rule.All(List.copyOf(parts));
    }

    private Rule one() {
        if (++depth > DEPTH_MAX) {
            throw new IllegalArgumentException("the rule has more than " + DEPTH_MAX + " parts within each other");
        }
        Rule rule = takes("not") ? new Rule.Not(one()) : part();
        depth--;
        return rule;
    }

    private Rule part() {
        skipBlanks();
        if (at < text.length() && text.charAt(at) == '(') {
            at++;
            Rule rule = any();
            skipBlanks();
            if (at == text.length() || text.charAt(at) != ')') {
                throw wrong("a parenthesis is not closed", "')'");
            }
            at++;
            skipBlanks();
            return rule;
        }
        if (takes("token")) {
            hasToken = true;
            return new Rule.Token(token);
        }
        Attribute attribute = attribute();
        return new Rule.Has(attribute, test(attribute));
    }

    private Attribute attribute() {
        int start = at;
        String word = word();
        for (Attribute attribute : Attribute.values()) {
            if (attribute.toString().equals(word)) {
                return attribute;
            }
        }
        at = start;
        List<String> names = new ArrayList<>(Attribute.names());
        names.addAll(List.of("token", "not"));
        throw wrong(word.isEmpty() ? "a test is missing" : "there is no attribute '" + word + "'" + Nearest.suggest(word, names),
                "token, or one of " + String.join(", ", Attribute.names()));
    }

    private ValueTest test(Attribute attribute) {
        skipBlanks();
        for (String operator : OPERATORS) {
            boolean isWord = Character.isLetter(operator.charAt(0));
            if (isWord ? takes(operator) : takesSign(operator)) {
                String value = value();
                return switch (operator) {
                    case "=" -> new ValueTest.Equal(value);
                    case "^=" -> new ValueTest.Begins(value, attribute == Attribute.SPIFFE);
                    case "~" -> new ValueTest.Matches(value, new BoundedPattern(value));
                    default -> new ValueTest.In(new ListFile(path(value)));
                };
            }
        }
        throw wrong("after " + attribute + " stands '" + rest() + "'", "an operator: " + String.join(", ", OPERATORS));
    }

    private static Path path(String value) {
        try {
            return Path.of(value);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("'" + value + "' is no path of a file", e);
        }
    }

    private String value() {
        skipBlanks();
        if (at < text.length() && text.charAt(at) == '"') {
            return quotedValue();
        }
        int start = at;
        while (at < text.length() && !isBlank(text.charAt(at)) && "()\"".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String value = text.substring(start, at);
        skipBlanks();
        if (value.isEmpty()) {
            throw wrong("a value is missing", "a word, or a text in double quotes");
        }
        return value;
    }

    private String quotedValue() {
        StringBuilder value = new StringBuilder();
        for (at++; at < text.length(); at++) {
            char character = text.charAt(at);
            boolean isEscape = character == '\\' && at + 1 < text.length() && "\\\"".indexOf(text.charAt(at + 1)) >= 0;
            if (character == '"') {
                at++;
                skipBlanks();
                return value.toString();
            }
            if (isEscape) {
                at++;
            }
            value.append(text.charAt(at));
        }
        throw wrong("a quoted value has no end", "'\"'");
    }

    /** Returns a value as a rule writes it, quoted where that is needed. */
    static String quoted(String value) {
        boolean isPlain = !value.isEmpty() && value.chars().noneMatch(each -> isBlank((char) each) || "()\"".indexOf(each) >= 0);
        return isPlain ? value : '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private boolean takes(String keyword) {
        skipBlanks();
        int start = at;
        if (word().equals(keyword)) {
            skipBlanks();
            return true;
        }
        at = start;
        return false;
    }

    private boolean takesSign(String sign) {
        if (!text.startsWith(sign, at)) {
            return false;
        }
        at += sign.length();
        return true;
    }

    private String word() {
        int start = at;
        while (at < text.length() && Character.isLetterOrDigit(text.charAt(at))) {
            at++;
        }
        return text.substring(start, at).toLowerCase(Locale.ROOT);
    }

    private void skipBlanks() {
        while (at < text.length() && isBlank(text.charAt(at))) {
            at++;
        }
    }

    private static boolean isBlank(char character) {
        return character <= ' ';
    }

    private String rest() {
        return text.substring(at, Math.min(text.length(), at + 16));
    }

    private IllegalArgumentException wrong(String problem, String right) {
        return new IllegalArgumentException("character " + (at + 1) + ": " + problem + "; here stands " + right);
    }
}
