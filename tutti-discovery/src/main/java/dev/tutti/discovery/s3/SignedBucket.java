package dev.tutti.discovery.s3;

import dev.tutti.core.settings.SettingException;
import dev.tutti.discovery.http.HttpCalls;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Bucket whose requests this node signs, or sends unsigned if the bucket is public. */
final class SignedBucket implements Bucket {

    /**
     * Place of a bucket.
     *
     * @param endpoint scheme, host and port
     * @param isPathStyle whether the bucket is the first part of the path, otherwise of the host's name
     */
    record Place(String bucket, String region, URI endpoint, boolean isPathStyle) {

        /** @throws SettingException if the name of the bucket is none, or {@code endpoint} no URL */
        static Place of(String bucket, String region, String endpoint, boolean isPathStyle) {
            if (!bucket.matches("[A-Za-z0-9][A-Za-z0-9._-]{1,62}")) {
                throw new SettingException("discovery.s3.bucket: '" + bucket
                        + "' is no name of a bucket; it has 2 to 63 letters, digits, dots and hyphens");
            }
            String url = endpoint.isEmpty() ? "https://s3." + region + ".amazonaws.com" : endpoint;
            if (!url.matches("https?://(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?/?")) {
                throw new SettingException("discovery.s3.endpoint: '" + endpoint
                        + "' is no URL of a server; write https://minio.example:9000");
            }
            return new Place(bucket, region, URI.create(url), isPathStyle);
        }

        private URI uri(String key, Map<String, String> query) {
            String path = (isPathStyle ? "/" + bucket : "") + "/"
                    + Arrays.stream(key.split("/")).map(SignatureV4::encode).collect(Collectors.joining("/"));
            String parameters = query.entrySet().stream()
                    .map(each -> each.getKey() + "=" + SignatureV4.encode(each.getValue()))
                    .collect(Collectors.joining("&"));
            return URI.create(endpoint.getScheme() + "://" + (isPathStyle ? "" : bucket + ".") + endpoint.getRawAuthority() + path
                    + (parameters.isEmpty() ? "" : "?" + parameters));
        }

        @Override
        public String toString() {
            return "bucket " + bucket + " at " + HttpCalls.server(endpoint);
        }
    }

    private static final int PAGES_MAX = 10;
    private static final Duration CALL_MAX = Duration.ofSeconds(5);

    private final Place place;
    private final S3Credentials.Source credentials;
    private final HttpCalls calls;
    private final Clock clock;
    private final SignatureV4 signature;

    SignedBucket(Place place, S3Credentials.Source credentials, HttpCalls calls, Clock clock) {
        this.place = place;
        this.credentials = credentials;
        this.calls = calls;
        this.clock = clock;
        this.signature = new SignatureV4(place.region());
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public List<String> list(String prefix) throws IOException {
        List<String> keys = new ArrayList<>();
        long deadlineNanos = System.nanoTime() + Duration.ofMillis(MILLIS_MAX).toNanos();
        String token = "";
        for (int page = 0; page < PAGES_MAX; page++) {
            SortedMap<String, String> query = new TreeMap<>(Map.of("list-type", "2", "max-keys", "1000", "prefix", prefix));
            if (!token.isEmpty()) {
                query.put("continuation-token", token);
            }
            Duration left = Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
            HttpResponse<byte[]> answer = call("list", "GET", "", query, "", left.compareTo(CALL_MAX) < 0 ? left : CALL_MAX);
            S3Answer listing = S3Answer.parse(answer.body());
            keys.addAll(listing.keys());
            token = listing.value("NextContinuationToken");
            if (!listing.value("IsTruncated").equals("true") || token.isEmpty()) {
                break;
            }
        }
        return keys;
    }

    @Override
    public void put(String key, String text) throws IOException {
        call("put " + key, "PUT", key, Map.of(), text, CALL_MAX);
    }

    @Override
    public void delete(String key) throws IOException {
        call("delete " + key, "DELETE", key, Map.of(), "", CALL_MAX);
    }

    private HttpResponse<byte[]> call(
            String what, String method, String key, Map<String, String> query, String text, Duration timeout) throws IOException {
        URI uri = place.uri(key, query);
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        S3Credentials pair = credentials.present();
        Instant now = clock.instant();
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .method(method, HttpRequest.BodyPublishers.ofByteArray(body));
        if (pair != null) {
            signature.sign(method, uri, Map.of(), body, pair, now).forEach(request::header);
        }
        HttpResponse<byte[]> answer = calls.send(request.build(), timeout);
        boolean isGone = method.equals("DELETE") && answer.statusCode() == 404;
        if (answer.statusCode() >= 300 && !isGone) {
            throw S3Answer.failure(place + ": " + what, pair == null ? "requests without keys" : pair.toString(), answer, now);
        }
        return answer;
    }

    @Override
    public void close() {
        calls.close();
    }
}
