package dev.tutti.campaign.host;

/** Waiting in real time. */
public final class Pause {

    private Pause() {}

    /**
     * @throws ChaosException if interrupted
     */
    public static void millis(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChaosException("interrupted", e);
        }
    }
}
