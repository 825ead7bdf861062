package dev.tutti.grid;

/**
 * The topic of a measurement: a path of levels, such as {@code hosts/web1/cpu/load}, or an integer, which is a path of one level.
 *
 * @param path levels, separated by slashes; none is empty or contains a wildcard
 */
public record Topic(String path) {

    /** Most levels of a topic. */
    public static final int LEVELS_MAX = 16;

    /** Most characters of a topic. */
    public static final int LENGTH_MAX = 256;

    public Topic {
        if (path.isEmpty() || path.length() > LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "a topic has 1 to " + LENGTH_MAX + " characters, not " + path.length() + "; for example hosts/web1/cpu/load");
        }
        int levels = 1;
        boolean isLevelEmpty = true;
        for (int i = 0; i < path.length(); i++) {
            char each = path.charAt(i);
            if (each == '/') {
                checkLevel(path, isLevelEmpty);
                isLevelEmpty = true;
                levels++;
            } else if (each == '*' || each == '#' || Character.isISOControl(each)) {
                throw new IllegalArgumentException("topic " + printable(path) + " contains " + (Character.isISOControl(each)
                        ? "a control character"
                        : "the wildcard " + each + ", which only filters may contain"));
            } else {
                isLevelEmpty = false;
            }
        }
        checkLevel(path, isLevelEmpty);
        if (levels > LEVELS_MAX) {
            throw new IllegalArgumentException("topic " + path + " has " + levels + " levels, and at most " + LEVELS_MAX + " are possible");
        }
    }

    private static void checkLevel(String path, boolean isEmpty) {
        if (isEmpty) {
            throw new IllegalArgumentException(
                    "topic " + printable(path) + " has an empty level; levels are separated by one slash, as in hosts/web1/cpu");
        }
    }

    private static String printable(String path) {
        return path.replaceAll("\\p{Cntrl}", "?");
    }

    /** Returns the topic with these levels. */
    public static Topic of(String path) {
        return new Topic(path);
    }

    /** Returns the topic that is an integer. */
    public static Topic of(long number) {
        return new Topic(Long.toString(number));
    }

    @Override
    public String toString() {
        return path;
    }
}
