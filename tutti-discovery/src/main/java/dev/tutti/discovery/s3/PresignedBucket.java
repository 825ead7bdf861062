package dev.tutti.discovery.s3;

import dev.tutti.core.settings.SettingException;
import dev.tutti.discovery.http.HttpCalls;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;

/**
 * Bucket that is used by URLs which somebody with the keys has signed: one that lists it, one that puts this node's object and one that
 * deletes it. Objects of others can't be deleted, and a listing has one page.
 */
final class PresignedBucket implements Bucket {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmssX").withZone(ZoneOffset.UTC);

    private final URI listUrl;
    private final URI putUrl;
    private final URI deleteUrl;
    private final HttpCalls calls;
    private final Clock clock;

    /** @throws SettingException if one is no URL */
    PresignedBucket(String listUrl, String putUrl, String deleteUrl, HttpCalls calls, Clock clock) {
        this.listUrl = url("discovery.s3.list-url", listUrl);
        this.putUrl = url("discovery.s3.put-url", putUrl);
        this.deleteUrl = url("discovery.s3.delete-url", deleteUrl);
        this.calls = calls;
        this.clock = clock;
    }

    private static URI url(String setting, String text) {
        try {
            URI url = new URI(text);
            if (text.matches("https?://.+") && url.getHost() != null && url.getRawQuery() != null) {
                return url;
            }
        } catch (URISyntaxException e) {
            // Told below, without the text: it is a secret.
        }
        throw new SettingException(setting + " is no pre-signed URL; write https://bucket.s3.region.amazonaws.com/…?X-Amz-…");
    }

    @Override
    public boolean isOpen() {
        return false;
    }

    @Override
    public void check(String key) throws IOException {
        check("discovery.s3.put-url", putUrl, key);
        check("discovery.s3.delete-url", deleteUrl, key);
    }

    private static void check(String setting, URI url, String key) throws IOException {
        if (!url.getPath().endsWith("/" + key)) {
            throw new IOException(setting + " is signed for " + url.getPath() + ", and the object of this node is " + key);
        }
    }

    @Override
    public List<String> list(String prefix) throws IOException {
        return S3Answer.parse(call("list-url", "GET", listUrl, "").body()).keys().stream()
                .filter(key -> key.startsWith(prefix))
                .toList();
    }

    @Override
    public void put(String key, String text) throws IOException {
        check("discovery.s3.put-url", putUrl, key);
        call("put-url", "PUT", putUrl, text);
    }

    @Override
    public void delete(String key) throws IOException {
        check("discovery.s3.delete-url", deleteUrl, key);
        call("delete-url", "DELETE", deleteUrl, "");
    }

    private HttpResponse<byte[]> call(String what, String method, URI url, String text) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(url)
                .method(method, HttpRequest.BodyPublishers.ofString(text))
                .build();
        HttpResponse<byte[]> answer = calls.send(request, Duration.ofMillis(MILLIS_MAX));
        Instant now = clock.instant();
        if (answer.statusCode() >= 300) {
            String expiry = expiry(url, answer, now);
            if (!expiry.isEmpty()) {
                throw new IOException("discovery.s3." + what + expiry);
            }
            throw S3Answer.failure("discovery.s3." + what + " at " + HttpCalls.server(url), "its signature", answer, now);
        }
        return answer;
    }

    /** Returns a part of a sentence if the URL does not hold by the clock of the server. */
    private static String expiry(URI url, HttpResponse<?> answer, Instant now) {
        try {
            Instant from = TIME.parse(parameter(url, "X-Amz-Date"), Instant::from);
            Instant until = from.plusSeconds(Long.parseLong(parameter(url, "X-Amz-Expires")));
            Instant there = S3Answer.serverTime(answer).orElse(now);
            String skew = S3Answer.skew(answer, now);
            // The header has whole seconds, and a server may send that of the second before.
            if (!there.plusSeconds(1).isBefore(until)) {
                return " has expired at " + until + "; have a new one signed" + skew;
            }
            return there.isBefore(from) ? " holds from " + from + " on, and the server's clock says " + there + skew : "";
        } catch (DateTimeException | NumberFormatException e) {
            return "";
        }
    }

    private static String parameter(URI url, String name) {
        return Arrays.stream(url.getRawQuery().split("&"))
                .filter(each -> each.startsWith(name + "="))
                .map(each -> URLDecoder.decode(each.substring(name.length() + 1), StandardCharsets.UTF_8))
                .findFirst()
                .orElse("");
    }

    @Override
    public void close() {
        calls.close();
    }
}
