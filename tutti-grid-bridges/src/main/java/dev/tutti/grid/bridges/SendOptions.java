package dev.tutti.grid.bridges;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Options of a bridge that sends measurements to a server of HTTP.
 *
 * @param url address that is posted to
 * @param headers headers of each request, such as {@code Authorization}
 * @param client client, which has authorities of certificates and a proxy
 * @param interval time for which measurements wait until there are enough for a request
 * @param points most numbers and histograms of a request
 * @param timeout time after which a request is given up
 * @param patience time for which a request is repeated when the server does not answer, or asks to wait; after it its measurements are
 *     dropped
 */
public record SendOptions(
        URI url, Map<String, String> headers, HttpClient client, Duration interval, int points, Duration timeout, Duration patience) {

    /** Most numbers and histograms of a request. */
    public static final int POINTS_MAX = 10_000;

    private static final int POINTS_DEFAULT = 1_000;
    private static final Duration TIME_MIN = Duration.ofMillis(10);
    private static final Duration TIME_MAX = Duration.ofHours(24);

    public SendOptions {
        headers = Collections.unmodifiableSortedMap(new TreeMap<>(headers));
        if (!"http".equals(url.getScheme()) && !"https".equals(url.getScheme()) || url.getHost() == null) {
            throw new IllegalArgumentException(url + " is no address of HTTP, such as https://collector.example:4318/v1/metrics");
        }
        if (points < 1 || points > POINTS_MAX) {
            throw new IllegalArgumentException("a request has 1 to " + POINTS_MAX + " points, not " + points);
        }
        checkTime("an interval", interval);
        checkTime("a timeout", timeout);
        checkTime("the patience", patience);
    }

    private static void checkTime(String name, Duration time) {
        if (time.compareTo(TIME_MIN) < 0 || time.compareTo(TIME_MAX) > 0) {
            throw new IllegalArgumentException(name + " is from " + TIME_MIN + " to " + TIME_MAX + ", not " + time);
        }
    }

    /** Returns options with defaults: requests each 5 seconds with up to 1,000 points, given up after 10 seconds and repeated for 5 minutes. */
    public static SendOptions to(String url) {
        return new SendOptions(
                URI.create(url),
                Map.of(),
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(5)).build(),
                Duration.ofSeconds(5),
                POINTS_DEFAULT,
                Duration.ofSeconds(10),
                Duration.ofMinutes(5));
    }

    /** Returns these options with one more header. */
    public SendOptions header(String name, String value) {
        Map<String, String> all = new TreeMap<>(headers);
        all.put(name, value);
        return new SendOptions(url, all, client, interval, points, timeout, patience);
    }

    /** Returns these options with a token, which is sent as {@code Authorization: Bearer}. */
    public SendOptions token(String token) {
        return header("Authorization", "Bearer " + token);
    }

    /** Returns these options with another client. */
    public SendOptions client(HttpClient other) {
        return new SendOptions(url, headers, other, interval, points, timeout, patience);
    }

    /** Returns these options with another interval. */
    public SendOptions interval(Duration time) {
        return new SendOptions(url, headers, client, time, points, timeout, patience);
    }

    /** Returns these options with another number of points in a request. */
    public SendOptions points(int most) {
        return new SendOptions(url, headers, client, interval, most, timeout, patience);
    }

    /** Returns these options with another timeout of a request. */
    public SendOptions timeout(Duration time) {
        return new SendOptions(url, headers, client, interval, points, time, patience);
    }

    /** Returns these options with another time for which requests are repeated. */
    public SendOptions patience(Duration time) {
        return new SendOptions(url, headers, client, interval, points, timeout, time);
    }
}
