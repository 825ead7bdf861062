package dev.tutti.campaign.grid;

/** The selector of a consumer, and the same condition in Java. */
enum Choice {

    HALF("value < 0.5") {
        @Override
        boolean accepts(long number, String zone) {
            return number % VALUES < 5;
        }
    },
    ZONE_OR_HIGH("zone = 'a' OR value >= 0.9") {
        @Override
        boolean accepts(long number, String zone) {
            return zone.equals("a") || number % VALUES == 9;
        }
    },
    RANGE("value BETWEEN 0.2 AND 0.7 AND zone IN ('a', 'b')") {
        @Override
        boolean accepts(long number, String zone) {
            return number % VALUES >= 2 && number % VALUES <= 7 && !zone.equals("c");
        }
    };

    /** Number of values that measurements have by turns. */
    private static final int VALUES = 10;

    private final String selector;

    Choice(String selector) {
        this.selector = selector;
    }

    String selector() {
        return selector;
    }

    /** Returns the value of the measurement with a number. */
    static double value(long number) {
        return number % VALUES / (double) VALUES;
    }

    /** Returns whether the selector chooses the measurement with a number, of a producer in a zone. */
    abstract boolean accepts(long number, String zone);
}
