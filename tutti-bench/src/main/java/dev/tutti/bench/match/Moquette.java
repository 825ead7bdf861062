package dev.tutti.bench.match;

import dev.tutti.grid.Filter;
import io.moquette.broker.ISubscriptionsRepository;
import io.moquette.broker.subscriptions.CTrieSubscriptionDirectory;
import io.moquette.broker.subscriptions.Subscription;
import io.moquette.broker.subscriptions.Topic;
import io.netty.handler.codec.mqtt.MqttQoS;
import java.util.List;
import java.util.Set;

/** The directory of subscriptions of Moquette, a broker for MQTT, with the call that it makes for each message. */
public final class Moquette {

    private Moquette() {}

    /** @param filters filters that have patterns only */
    public static Matcher of(List<Filter> filters) {
        CTrieSubscriptionDirectory directory = new CTrieSubscriptionDirectory();
        directory.init(new Nothing());
        for (int i = 0; i < filters.size(); i++) {
            // The wildcard for one level is + in MQTT. A client is a number here, so that it need not be looked up.
            Topic topic = new Topic(filters.get(i).topic().replace('*', '+'));
            directory.add(new Subscription(Integer.toString(i), topic, MqttQoS.AT_MOST_ONCE));
        }
        return (measurement, consumer) -> {
            for (Subscription each : directory.matchWithoutQosSharpening(new Topic(measurement.topic().path()))) {
                consumer.accept(Integer.parseInt(each.getClientId()));
            }
        };
    }

    /** Subscriptions that are kept nowhere. */
    private static final class Nothing implements ISubscriptionsRepository {

        @Override
        public Set<Subscription> listAllSubscriptions() {
            return Set.of();
        }

        @Override
        public void addNewSubscription(Subscription subscription) {}

        @Override
        public void removeSubscription(String topic, String client) {}
    }
}
