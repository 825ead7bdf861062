package dev.tutti;

import java.io.IOException;

/** Everything that a callback may throw. */
public enum Thrown {
    RUNTIME_EXCEPTION(IllegalArgumentException.class) {
        @Override
        public void now() {
            throw new IllegalArgumentException("by the test");
        }
    },
    /** As Kotlin and Lombok do: thrown where no compiler expects it. */
    CHECKED_EXCEPTION(IOException.class) {
        @Override
        public void now() {
            throw Thrown.<RuntimeException>unchecked(new IOException("by the test"));
        }
    },
    ASSERTION_ERROR(AssertionError.class) {
        @Override
        public void now() {
            throw new AssertionError("by the test");
        }
    },
    STACK_OVERFLOW(StackOverflowError.class) {
        @Override
        public void now() {
            dive(0);
        }
    },
    OUT_OF_MEMORY(OutOfMemoryError.class) {
        @Override
        public void now() {
            for (long[][] all = new long[64][]; ; all = all.clone()) {
                for (int index = 0; index < all.length; index++) {
                    all[index] = new long[Integer.MAX_VALUE - 8];
                }
            }
        }
    };

    private final Class<? extends Throwable> type;

    Thrown(Class<? extends Throwable> type) {
        this.type = type;
    }

    public abstract void now();

    public Class<? extends Throwable> type() {
        return type;
    }

    public boolean isError() {
        return Error.class.isAssignableFrom(type);
    }

    private static int dive(int depth) {
        return depth < 0 ? depth : dive(depth + 1) + 1;
    }

    @SuppressWarnings("unchecked") // erased: nothing is cast
    private static <E extends Exception> E unchecked(Exception thrown) throws E {
        throw (E) thrown;
    }
}
