package dev.tutti.campaign.grid;

/**
 * Measurements of one producer that a consumer should have had, and has not.
 *
 * @param count number of them
 * @param first number of the first of them
 * @param beforeMillis time of the last measurement that came before them; 0 if there was none
 * @param afterMillis time of the first that came after them
 * @param isTold whether the consumer was told of a gap there, or of one of this producer later
 */
record Loss(int consumer, int producer, long count, long first, long beforeMillis, long afterMillis, boolean isTold) {

    static Loss of(String text) {
        String[] words = text.split(" ");
        return new Loss(
                Integer.parseInt(words[0]),
                Integer.parseInt(words[1]),
                Long.parseLong(words[2]),
                Long.parseLong(words[3]),
                Long.parseLong(words[4]),
                Long.parseLong(words[5]),
                Boolean.parseBoolean(words[6]));
    }

    /** Returns the same, and that the consumer was told of it. */
    Loss told() {
        return new Loss(consumer, producer, count, first, beforeMillis, afterMillis, true);
    }

    /** Returns a text that {@link #of} reads. */
    String text() {
        return consumer + " " + producer + " " + count + " " + first + " " + beforeMillis + " " + afterMillis + " " + isTold;
    }
}
