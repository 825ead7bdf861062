package dev.tutti.campaign.cluster;

/** Set of messages with which a message is delivered in order. */
public enum Band {
    /** All others of its sender, or of all senders, depending on the stack. */
    ORDERED(""),

    /** Others in its scope. The machine orders it with all messages; only listeners run out of that order. */
    SCOPED(" in scopes"),

    /** None: it overtakes messages that wait. */
    OUT_OF_BAND(" out of band");

    private final String text;

    Band(String text) {
        this.text = text;
    }

    /** Reads the text that a schedule has behind the receiver. */
    public static Band of(String text) {
        for (Band band : values()) {
            if (band.text.equals(text)) {
                return band;
            }
        }
        throw new IllegalArgumentException("messages '" + text + "'");
    }

    @Override
    public String toString() {
        return text;
    }
}
