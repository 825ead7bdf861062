package dev.tutti.bench.paths;

import dev.tutti.bench.BenchException;
import dev.tutti.internal.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/** Posts contents to a mediator, as JSON, one after the other. */
final class Posts {

    private static final int OK = 200;

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI address;

    Posts(URI mediator) {
        this.address = mediator.resolve("/v1/publish");
    }

    void post(String topic, byte[] content) {
        Map<String, Object> measurement = new LinkedHashMap<>();
        measurement.put("producer", "posts");
        measurement.put("topic", topic);
        measurement.put("bytes", Base64.getEncoder().encodeToString(content));
        HttpRequest request = HttpRequest.newBuilder(address)
                .POST(HttpRequest.BodyPublishers.ofString(Json.write(measurement)))
                .build();
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != OK) {
                throw new BenchException("the mediator answers " + answer.statusCode() + ": " + answer.body());
            }
        } catch (IOException e) {
            throw new BenchException("can't post to the mediator: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }
}
