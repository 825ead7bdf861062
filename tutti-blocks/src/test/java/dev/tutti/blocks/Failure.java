package dev.tutti.blocks;

/** Ways in which code of the application fails. */
enum Failure {
    RUNTIME_EXCEPTION(new IllegalArgumentException("user code")),
    CHECKED(new java.io.IOException("user code")),
    ASSERTION_ERROR(new AssertionError("user code")),
    STACK_OVERFLOW(new StackOverflowError("user code")),
    OUT_OF_MEMORY(new OutOfMemoryError("user code"));

    private final Throwable thrown;

    Failure(Throwable thrown) {
        this.thrown = thrown;
    }

    boolean isError() {
        return thrown instanceof Error;
    }

    String type() {
        return thrown.getClass().getName();
    }

    /** Throws the failure, checked or not, as code of other JVM languages can. */
    <T> T raise() {
        throw Failure.<RuntimeException>unchecked(thrown);
    }

    @SuppressWarnings("unchecked") // erased: nothing is cast
    private static <E extends Throwable> E unchecked(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
