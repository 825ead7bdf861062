package dev.tutti.study.process;

/** The study can't go on. The message says why. */
public final class StudyException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Creates an exception with the reason. */
    public StudyException(String message) {
        super(message);
    }

    /** Creates an exception with the reason and its cause. */
    public StudyException(String message, Throwable cause) {
        super(message + ": " + cause.getMessage(), cause);
    }
}
