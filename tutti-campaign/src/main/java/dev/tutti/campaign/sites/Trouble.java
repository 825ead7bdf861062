package dev.tutti.campaign.sites;

/**
 * A fault of a schedule of sites.
 *
 * @param site index of the site that it strikes
 * @param member index of a member at that site, for those that strike one
 * @param atMillis time from the start of the work
 * @param millis time after which it ends
 */
record Trouble(Kind kind, int site, int member, int atMillis, int millis) {

    /** Kinds of faults. */
    enum Kind {
        /** The process of the first master is killed, with its bridge node, and starts again. */
        CRASH_MASTER("the first master of %s is killed, back"),
        /** A process is killed and starts again. */
        CRASH_MEMBER("%s is killed, back"),
        /** A machine loses its power, without notice to the others, and starts again. */
        POWER_LOSS("%s loses its power, back"),
        /** A process closes its sites and its node, and starts again. */
        STOP("%s stops, back"),
        /** All processes of a site are killed, and start again. */
        RESTART_SITE("all of %s are killed, back"),
        /** A site is cut off from all others. */
        CUT_SITE("%s is cut off from all others, healed"),
        /** Two sites are cut off from each other; others reach both. */
        CUT_PAIR("%s and the next site are cut off from each other, healed"),
        /** A member is cut off from all other sites, while the others of its site reach them. */
        CUT_MEMBER("%s is cut off from other sites, healed"),
        /** A member is cut off from the others of its site; other sites reach all of them. */
        DIVIDE("%s is cut off from its own site, healed"),
        /** A process is paused, as by a long garbage collection. */
        PAUSE("%s is paused, goes on"),
        /** Connections between a member and all other sites break, and lose what is under way. */
        BREAK("connections of %s to other sites break"),
        /** Listeners of a member take some milliseconds for each message. */
        SLOW_LISTENER("listeners of %s are slow, fast"),
        /** Links between sites take longer, and carry less. */
        SLOW_LINK("links between sites are slow, fast"),
        /** Members of a site send much at once. */
        BURST("members of %s send much at once");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** Returns whether it strikes one member. */
        boolean isOfMember() {
            return switch (this) {
                case CRASH_MEMBER, POWER_LOSS, STOP, CUT_MEMBER, DIVIDE, PAUSE, BREAK, SLOW_LISTENER -> true;
                default -> false;
            };
        }

        private boolean hasEnd() {
            return this != BREAK && this != BURST;
        }
    }

    String text(SitesPlan plan) {
        String whom = kind.isOfMember() ? "n" + plan.numbers(site)[member] : plan.siteName(site);
        return "at " + atMillis + " ms: " + String.format(kind.text, whom) + (kind.hasEnd() ? " after " + millis + " ms" : "");
    }
}
