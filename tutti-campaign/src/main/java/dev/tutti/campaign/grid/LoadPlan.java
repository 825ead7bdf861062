package dev.tutti.campaign.grid;

import dev.tutti.campaign.sites.process.Settings;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Places of producers and consumers. Each consumer has a group of producers, which are at all sites; half of both are clients of
 * mediators, the others are at members.
 *
 * @param rate of measurements of a producer, per second
 */
record LoadPlan(int producers, int consumers, int rate) {

    static final List<String> SITES = List.of("berlin", "paris", "rome");
    private static final List<String> ZONES = List.of("a", "b", "c");

    static LoadPlan of(Settings settings) {
        return new LoadPlan((int) settings.number("producers"), (int) settings.number("consumers"), (int) settings.number("rate"));
    }

    Settings addTo(Settings settings) {
        return settings.put("producers", producers).put("consumers", consumers).put("rate", rate);
    }

    /** Returns the consumer that chooses among the measurements of a producer. */
    int consumerOf(int producer) {
        return producer % consumers;
    }

    private int mixed(int producer) {
        return producer / consumers + producer % consumers;
    }

    boolean isClient(int producer) {
        return mixed(producer) % 2 == 1;
    }

    int siteOf(int producer) {
        return mixed(producer) / 2 % SITES.size();
    }

    static boolean isClientConsumer(int consumer) {
        return consumer % 2 == 1;
    }

    static int siteOfConsumer(int consumer) {
        return consumer / 2 % SITES.size();
    }

    static Choice choiceOf(int consumer) {
        return Choice.values()[consumer % Choice.values().length];
    }

    /** Returns the zone of a producer, which says nothing of its consumer. */
    String zoneOf(int producer) {
        return ZONES.get(producer / consumers % ZONES.size());
    }

    /** Returns the beginning of the topics of a consumer's group. */
    static String group(int consumer) {
        return "load/g" + consumer + "/";
    }

    String topicOf(int producer) {
        return group(consumerOf(producer)) + producer;
    }

    static int producerOf(String topic) {
        return Integer.parseInt(topic, topic.lastIndexOf('/') + 1, topic.length(), 10);
    }

    List<Integer> producersAt(int site, boolean isClient) {
        return IntStream.range(0, producers).filter(each -> siteOf(each) == site && isClient(each) == isClient).boxed().toList();
    }

    List<Integer> consumersAt(int site, boolean isClient) {
        return IntStream.range(0, consumers)
                .filter(each -> siteOfConsumer(each) == site && isClientConsumer(each) == isClient)
                .boxed()
                .toList();
    }
}
