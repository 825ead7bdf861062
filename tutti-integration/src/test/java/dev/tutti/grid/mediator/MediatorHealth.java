package dev.tutti.grid.mediator;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** State of a mediator, as its pages tell it. */
final class MediatorHealth {

    private MediatorHealth() {}

    /** Returns whether it says that it is not ready, or has as many entries as there are. */
    static boolean isDecided(URI url, int entries) {
        try (HttpClient http = HttpClient.newHttpClient()) {
            if (get(http, url + "/health/ready").statusCode() == 503) {
                return true;
            }
            return get(http, url + "/metrics").body().contains("tutti_grid_entries " + entries + "\n");
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static HttpResponse<String> get(HttpClient http, String url) throws IOException, InterruptedException {
        return http.send(HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(5)).build(), HttpResponse.BodyHandlers.ofString());
    }
}
