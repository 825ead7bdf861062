package dev.tutti.jcache;

/** The common part of what the standard calls unwrapping. */
final class Unwrapping {

    private Unwrapping() {}

    /**
     * Returns {@code part} as a {@code type}.
     *
     * @throws IllegalArgumentException if it is none
     */
    static <T> T of(Object part, Class<T> type) {
        if (type.isInstance(part)) {
            return type.cast(part);
        }
        throw new IllegalArgumentException(part.getClass().getName() + " is no " + type.getName());
    }
}
