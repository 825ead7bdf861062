package dev.tutti.campaign;

/** What messages are in order with. */
enum Band {
    /** All others of their sender, or of all senders, as the stack says. */
    ORDERED(""),

    /** Others in their scope; the machine keeps them in order with all, and only listeners do not. */
    SCOPED(" in scopes"),

    /** Nothing: they overtake what waits. */
    OUT_OF_BAND(" out of band");

    private final String text;

    Band(String text) {
        this.text = text;
    }

    /** As a schedule has it, after the receiver. */
    static Band of(String text) {
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
