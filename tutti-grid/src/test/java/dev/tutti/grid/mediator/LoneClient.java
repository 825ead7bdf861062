package dev.tutti.grid.mediator;

import dev.tutti.grid.Body;
import dev.tutti.grid.Producer;
import dev.tutti.grid.ProducerOptions;
import dev.tutti.grid.client.GridClient;
import dev.tutti.grid.client.GridClientBuilder;
import java.net.URI;
import java.nio.file.Path;

/** Program: a client that comes through a proxy with a password, publishes one measurement, and ends when its input does. */
final class LoneClient {

    private LoneClient() {}

    /** Arguments: URL of the mediator, file of authorities, port of the proxy, user, password. */
    public static void main(String[] args) throws Exception {
        GridClientBuilder builder = GridClient.of(URI.create(args[0]))
                .authority(Path.of(args[1]))
                .proxy("127.0.0.1", Integer.parseInt(args[2]))
                .proxyCredentials(args[3], args[4]);
        try (GridClient client = builder.open(); Producer producer = client.produce(ProducerOptions.of("lone", "a/#"))) {
            producer.publish("a/b", Body.of(1));
            while (System.in.read() >= 0) {
                // The test has not ended yet.
            }
        }
    }
}
