package dev.tutti.blocks.calls;

/** Reasons why there is no answer although the member is in the view. */
public enum Refusal {
    /** The member's limit of running handlers is reached. The call was not executed. */
    OVERLOADED(1),
    /** The member handles no procedure of this name. The call was not executed. */
    NO_PROCEDURE(2),
    /** The member can't decode the request. The call was not executed. */
    MALFORMED_REQUEST(3),
    /** The answer is longer than the caller accepts. The call was executed. */
    ANSWER_TOO_LONG(4),
    /** The caller can't decode the answer. The call was executed. */
    MALFORMED_ANSWER(5);

    private final int code;

    Refusal(int code) {
        this.code = code;
    }

    /** Returns the code on the wire, which is never reused. */
    int code() {
        return code;
    }
}
