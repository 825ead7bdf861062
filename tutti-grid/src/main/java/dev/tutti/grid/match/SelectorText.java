package dev.tutti.grid.match;

import dev.tutti.grid.Filter;
import dev.tutti.grid.match.Selector.Tag;
import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.activemq.artemis.selector.filter.BooleanExpression;
import org.apache.activemq.artemis.selector.strict.ParseException;
import org.apache.activemq.artemis.selector.strict.SimpleCharStream;
import org.apache.activemq.artemis.selector.strict.StrictParser;
import org.apache.activemq.artemis.selector.strict.StrictParserConstants;
import org.apache.activemq.artemis.selector.strict.StrictParserTokenManager;
import org.apache.activemq.artemis.selector.strict.Token;
import org.apache.activemq.artemis.selector.strict.TokenMgrError;
import org.jspecify.annotations.Nullable;

/**
 * The words of a selector, on their way to the parser of Artemis. Words that it would take and that can do harm are refused
 * here, a depth is kept, and each LIKE becomes a name that stands for its result: {@code a LIKE 'x%' AND b = 1} is read as
 * {@code <like 0> AND b = 1}. No name that a user can write without quotes contains a space, and quoted names that begin like
 * that are refused. NOT gets the scope that it has in SQL.
 */
final class SelectorText {

    /** Most levels of parentheses, NOT and signs within each other. */
    static final int DEPTH_MAX = 32;

    private static final String LIKE = "like ";
    private static final String EXAMPLE = "; for example: value > 48 AND host = 'web1'";

    private static final List<String> IMAGES = List.of(StrictParserConstants.tokenImage);
    private static final int OPENING = IMAGES.indexOf("\"(\"");
    private static final int CLOSING = IMAGES.indexOf("\")\"");

    private final String text;
    private List<Token> tokens;
    private final Map<String, Like> likes = new HashMap<>();

    SelectorText(String text) {
        this.text = text;
        if (text.length() > Filter.WHERE_MAX) {
            throw new IllegalArgumentException("a selector has at most " + Filter.WHERE_MAX + " characters, not " + text.length());
        }
        tokens = tokens();
        check();
    }

    /** Returns the patterns of LIKE, by the names that stand for them in what {@link #parse} returns. */
    Map<String, Like> likes() {
        return likes;
    }

    private List<Token> tokens() {
        List<Token> found = new ArrayList<>();
        StrictParserTokenManager source = new StrictParserTokenManager(stream(text));
        try {
            while (true) {
                Token token = source.getNextToken();
                found.add(token);
                if (token.kind == StrictParserConstants.EOF) {
                    return found;
                }
            }
        } catch (TokenMgrError e) {
            // The only form in which the library reports characters that begin no word.
            Token last = found.isEmpty() ? Token.newToken(StrictParserConstants.EOF) : found.getLast();
            throw wrong(Math.max(1, last.endLine), last.endColumn + 1, "no word of a selector begins there" + hint());
        }
    }

    /** Returns a source of characters whose buffers have the size that is needed, and not 40 KiB. */
    private static SimpleCharStream stream(String text) {
        return new SimpleCharStream(new StringReader(text), 1, 1, text.length() + 1);
    }

    /** Returns advice for mistakes that are common among users of other languages. */
    private String hint() {
        if (text.contains("!=")) {
            return "; unequal is <>";
        }
        if (text.contains("&&") || text.contains("||")) {
            return "; conditions are joined by AND, OR, NOT";
        }
        if (text.chars().filter(c -> c == '\'').count() % 2 == 1) {
            return "; a text begins and ends with a single quote, and one within it is doubled: 'it''s'";
        }
        return "; names with other characters than letters, digits, _ and $ stand in double quotes" + EXAMPLE;
    }

    private void check() {
        int depth = 0;
        int prefixes = 0;
        for (Token token : tokens) {
            if (token.kind == StrictParserConstants.XPATH || token.kind == StrictParserConstants.XQUERY) {
                throw wrong(token, "XPATH and XQUERY are not possible" + EXAMPLE);
            }
            if ((token.kind == StrictParserConstants.QUOTED_ID || token.kind == StrictParserConstants.ID)
                    && token.image.startsWith(LIKE, token.kind == StrictParserConstants.ID ? 0 : 1)) {
                throw wrong(token, "a name in a selector can't begin with \"" + LIKE + "\"");
            }
            boolean isOpening = token.image.equals("(");
            boolean isPrefix = token.kind == StrictParserConstants.NOT || token.image.equals("-") || token.image.equals("+");
            prefixes = isPrefix ? prefixes + 1 : isOpening ? prefixes : 0;
            depth += isOpening ? 1 : token.image.equals(")") ? -1 : 0;
            if (depth + prefixes > DEPTH_MAX) {
                throw wrong(token, "parentheses, NOT and signs are nested deeper than " + DEPTH_MAX);
            }
        }
    }

    /** Returns the selector in the form of the library. */
    BooleanExpression parse() {
        likes.clear();
        StrictParser parser = new StrictParser(new Replay(withScopes(withoutLikes())));
        try {
            BooleanExpression parsed = parser.JmsSelector();
            Token next = parser.getToken(1);
            if (next.kind != StrictParserConstants.EOF) {
                // The library would ignore the rest.
                throw unexpected(next);
            }
            return parsed;
        } catch (ParseException e) {
            if (String.valueOf(e.getMessage()).startsWith("Expression will not result in a boolean")) {
                throw wrong(parser.getToken(0), "a condition is missing" + EXAMPLE);
            }
            throw unexpected(parser.getToken(1));
        } catch (IllegalArgumentException e) {
            throw e instanceof NumberFormatException ? wrong(parser.getToken(0), "it is not a number that is possible") : e;
        } catch (RuntimeException e) {
            // The library refuses operands by exceptions of this type: 'a' > 'b', a text as operand of +.
            throw wrong(parser.getToken(0), printable(e.getMessage()).replaceAll("\\.$", "") + EXAMPLE);
        }
    }

    private IllegalArgumentException unexpected(Token token) {
        boolean isEnd = token.image.isEmpty();
        boolean isEqual = token.image.equals("=");
        return wrong(token, (isEnd ? "something is missing" : "it is not expected there") + (isEqual ? "; equal is a single =" : EXAMPLE));
    }

    /**
     * Moves the tags that each chosen measurement has out of the selector: conditions {@code name = 'text'} that are joined to all
     * others by AND. The library's tree can't be asked for them: it does not give away more than two operands of an AND.
     *
     * @return the tags, in the order of the text; the words that are left are {@link #rest}
     */
    List<Tag> takeRequired() {
        List<Tag> found = new ArrayList<>();
        List<List<Token>> others = new ArrayList<>();
        int depth = 0;
        int begin = 0;
        boolean isRange = false;
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            depth += token.image.equals("(") ? 1 : token.image.equals(")") ? -1 : 0;
            if (depth > 0) {
                continue;
            }
            isRange |= token.kind == StrictParserConstants.BETWEEN;
            if (token.kind == StrictParserConstants.OR) {
                return List.of();
            }
            if (token.kind == StrictParserConstants.EOF || token.kind == StrictParserConstants.AND) {
                List<Token> condition = tokens.subList(begin, i);
                Tag tag = isRange ? null : tag(condition);
                if (tag == null) {
                    others.add(condition);
                } else {
                    found.add(tag);
                }
                begin = i + 1;
            }
        }
        if (!found.isEmpty()) {
            keep(others);
        }
        return found;
    }

    private void keep(List<List<Token>> conditions) {
        List<Token> kept = new ArrayList<>();
        for (List<Token> condition : conditions) {
            if (!kept.isEmpty()) {
                kept.add(Token.newToken(StrictParserConstants.AND, "AND"));
            }
            kept.addAll(condition);
        }
        kept.add(tokens.getLast());
        tokens = kept;
    }

    /** Returns the tag that a condition requires; null if it is of another kind. */
    private static @Nullable Tag tag(List<Token> condition) {
        if (condition.size() != 3 || !condition.get(1).image.equals("=")) {
            return null;
        }
        Token name = condition.get(isName(condition.get(0)) ? 0 : 2);
        Token value = condition.get(isName(condition.get(0)) ? 2 : 0);
        boolean isTag = isName(name) && value.kind == StrictParserConstants.STRING_LITERAL && !View.isReserved(name(name));
        return isTag ? new Tag(name(name), unquoted(value.image)) : null;
    }

    /** Returns the words, in a form that is the same for selectors that differ in spaces and comments only. Empty if none is left. */
    String rest() {
        return tokens.stream().map(token -> token.image).collect(Collectors.joining(" ")).strip();
    }

    private static boolean isName(Token token) {
        return token.kind == StrictParserConstants.ID || token.kind == StrictParserConstants.QUOTED_ID;
    }

    private static String name(Token token) {
        return token.kind == StrictParserConstants.ID ? token.image : unquoted(token.image);
    }

    /** Returns the words with each LIKE replaced by a name. */
    private List<Token> withoutLikes() {
        List<Token> result = new ArrayList<>();
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            boolean isNot = kind(i) == StrictParserConstants.NOT && kind(i + 1) == StrictParserConstants.LIKE;
            if (!isNot && token.kind != StrictParserConstants.LIKE) {
                result.add(token);
                continue;
            }
            Token like = isNot ? tokens.get(++i) : token;
            if (result.isEmpty() || !isName(result.getLast()) || !isBegin(result)) {
                throw wrong(like, "LIKE follows a name; for example: host LIKE 'web%'");
            }
            Token name = result.removeLast();
            if (kind(i + 1) != StrictParserConstants.STRING_LITERAL) {
                throw wrong(tokens.get(i + 1), "a text is expected after LIKE; for example: host LIKE 'web%'");
            }
            String pattern = unquoted(tokens.get(++i).image);
            int escape = -1;
            if (kind(i + 1) == StrictParserConstants.ESCAPE) {
                Token character = tokens.get(i + 2);
                if (character.kind != StrictParserConstants.STRING_LITERAL || unquoted(character.image).length() != 1) {
                    throw wrong(character, "one character is expected after ESCAPE; for example: path LIKE 'a!_%' ESCAPE '!'");
                }
                escape = unquoted(character.image).charAt(0);
                if (Like.endsWithEscape(pattern, escape)) {
                    throw wrong(tokens.get(i), "the pattern ends with its escape character, and nothing follows that it escapes");
                }
                i += 2;
            }
            if (isNot) {
                result.add(token);
            }
            result.add(standIn(name, pattern, escape));
        }
        return result;
    }

    /**
     * Returns words with parentheses around what each NOT is for, up to the next AND or OR: by itself the library reads {@code NOT a
     * = 'b'} as {@code (NOT a) = 'b'}, which is never true.
     */
    private static List<Token> withScopes(List<Token> words) {
        List<Token> result = new ArrayList<>();
        // Parentheses that are open: those of the text, and those of NOTs.
        Deque<Boolean> areOwn = new ArrayDeque<>();
        boolean isRange = false;
        for (Token word : words) {
            boolean isEnd = word.kind == StrictParserConstants.EOF || word.image.equals(")") || word.kind == StrictParserConstants.OR;
            if (word.kind == StrictParserConstants.BETWEEN) {
                isRange = true;
            } else if (word.kind == StrictParserConstants.AND && isRange) {
                isRange = false;
            } else if (isEnd || word.kind == StrictParserConstants.AND) {
                while (!areOwn.isEmpty() && areOwn.getLast()) {
                    areOwn.removeLast();
                    result.add(like(word, CLOSING));
                }
            }
            result.add(word);
            if (word.image.equals(")")) {
                areOwn.pollLast();
            } else if (word.image.equals("(")) {
                areOwn.add(false);
            } else if (word.kind == StrictParserConstants.NOT && isBegin(result)) {
                areOwn.add(true);
                result.add(like(word, OPENING));
            }
        }
        return result;
    }

    /** Returns a word of another kind that is reported as this one. */
    private static Token like(Token word, int kind) {
        Token token = Token.newToken(kind, word.image);
        token.beginLine = word.beginLine;
        token.beginColumn = word.beginColumn;
        return token;
    }

    private int kind(int index) {
        return index < tokens.size() ? tokens.get(index).kind : StrictParserConstants.EOF;
    }

    /** Returns whether the last of some words begins a condition. */
    private static boolean isBegin(List<Token> words) {
        if (words.size() == 1) {
            return true;
        }
        Token before = words.get(words.size() - 2);
        return before.image.equals("(") || before.kind == StrictParserConstants.AND || before.kind == StrictParserConstants.OR
                || before.kind == StrictParserConstants.NOT;
    }

    private Token standIn(Token name, String pattern, int escape) {
        String image = LIKE + likes.size();
        likes.put(image, new Like(name(name), pattern, escape));
        Token token = like(name, StrictParserConstants.ID);
        token.image = image;
        return token;
    }

    /** Returns the content of a quoted word, whose own quotes are doubled. */
    private static String unquoted(String image) {
        String quote = image.substring(0, 1);
        return image.substring(1, image.length() - 1).replace(quote + quote, quote);
    }

    private IllegalArgumentException wrong(Token token, String reason) {
        String word = token.image.isEmpty() ? "its end" : printable(token.image);
        return wrong(token.beginLine, token.beginColumn, word + ": " + reason);
    }

    private IllegalArgumentException wrong(int line, int column, String reason) {
        String where = line > 1 ? "line " + line + ", character " + column : "character " + column;
        return new IllegalArgumentException("the selector " + printable(text) + " is wrong at " + where + ": " + reason);
    }

    private static String printable(@Nullable String words) {
        String all = String.valueOf(words);
        return (all.length() > 200 ? all.substring(0, 200) + "..." : all).replaceAll("\\p{Cntrl}", "?");
    }

    /** A source of words that have been read before. */
    private static final class Replay extends StrictParserTokenManager {

        private final List<Token> words;
        private int index;

        Replay(List<Token> words) {
            super(stream(""));
            this.words = words;
        }

        @Override
        public Token getNextToken() {
            Token token = words.get(Math.min(index, words.size() - 1));
            index++;
            // The parser links words to each other, and these may have been linked by an earlier one.
            token.next = null;
            return token;
        }
    }
}
