package dev.tutti.announce.message;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * An application at a node.
 *
 * @param path path that its requests begin with, such as {@code /shop}; empty for the root
 * @param aliases names of hosts that it answers, in lower case and without a port; none for all hosts
 * @param version version of the application, if several run side by side; empty if there is one. The greatest text is the
 *     newest version
 * @param state requests that are taken
 */
public record WebContext(String path, List<String> aliases, String version, ContextState state) implements Comparable<WebContext> {

    /** Most aliases of a context. */
    public static final int ALIASES_MAX = 64;

    /** Longest path, in characters. */
    public static final int PATH_LENGTH_MAX = 256;

    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~!$&'()*+,=:@%-]+)*");
    private static final Pattern ALIAS = Pattern.compile("[a-z0-9._-]{1,253}|\\[[0-9a-f:.]{2,45}]");
    private static final Pattern VERSION = Pattern.compile("[A-Za-z0-9._+-]{0,64}");

    public WebContext {
        if (path.length() > PATH_LENGTH_MAX || !PATH.matcher(path).matches() || hasDotSegment(path)) {
            throw new IllegalArgumentException("a context's path is empty, or segments such as /shop or /a/b, of at most "
                    + PATH_LENGTH_MAX + " characters, without '.' and '..' as segments; it is '" + path + "'");
        }
        if (aliases.size() > ALIASES_MAX) {
            throw new IllegalArgumentException("context " + path + " has " + aliases.size() + " aliases; at most " + ALIASES_MAX);
        }
        for (String alias : aliases) {
            if (!ALIAS.matcher(alias).matches()) {
                throw new IllegalArgumentException("an alias is a host's name in lower case, without a port; it is '" + alias + "'");
            }
        }
        if (!VERSION.matcher(version).matches()) {
            throw new IllegalArgumentException("a version has at most 64 letters, digits, '.', '_', '+' and '-'; it is '" + version + "'");
        }
        aliases = aliases.stream().distinct().sorted().toList();
    }

    /** Returns an enabled context of all hosts. */
    public static WebContext of(String path) {
        return new WebContext(path.equals("/") ? "" : path, List.of(), "", ContextState.ENABLED);
    }

    /** Returns this context for these hosts alone. */
    public WebContext aliases(String... hosts) {
        return new WebContext(path, List.of(hosts).stream().map(host -> host.toLowerCase(Locale.ROOT)).toList(), version, state);
    }

    /** Returns this context with a version. */
    public WebContext version(String text) {
        return new WebContext(path, aliases, text, state);
    }

    /** Returns this context in another state. */
    public WebContext in(ContextState other) {
        return new WebContext(path, aliases, version, other);
    }

    private static boolean hasDotSegment(String path) {
        for (String segment : path.split("/")) {
            if (segment.equals(".") || segment.equals("..")) {
                return true;
            }
        }
        return false;
    }

    @Override
    public int compareTo(WebContext other) {
        int order = path.compareTo(other.path);
        order = order != 0 ? order : version.compareTo(other.version);
        return order != 0 ? order : aliases.toString().compareTo(other.aliases.toString());
    }
}
