package dev.tutti.discovery.s3;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Signs requests to S3 as AWS Signature Version 4 asks for. A canonical form of the request is hashed, and the hash is signed with a key
 * that is derived from the secret key, the day, the region and the service.
 *
 * @param region of the bucket
 */
record SignatureV4(String region) {

    private static final String ALGORITHM = "AWS4-HMAC-SHA256";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    /** Encodes all but the unreserved characters of RFC 3986, as the canonical form has them. */
    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }

    /**
     * Returns {@code headers} and those that authenticate the request.
     *
     * @param uri its path and the parameters of its query are encoded as {@link #encode} does
     * @param headers to be signed, by their names in lower case, without {@code host}
     */
    SortedMap<String, String> sign(
            String method, URI uri, Map<String, String> headers, byte[] body, S3Credentials credentials, Instant now) {
        String time = TIME.format(now);
        String bodyHash = hex(sha256(body));
        SortedMap<String, String> signed = new TreeMap<>(headers);
        signed.put("host", uri.getRawAuthority());
        signed.put("x-amz-content-sha256", bodyHash);
        signed.put("x-amz-date", time);
        if (!credentials.sessionToken().isEmpty()) {
            signed.put("x-amz-security-token", credentials.sessionToken());
        }
        String names = String.join(";", signed.keySet());
        String canonical = String.join(
                "\n",
                method,
                uri.getRawPath(),
                canonicalQuery(uri.getRawQuery()),
                signed.entrySet().stream()
                        .map(header -> header.getKey() + ":" + header.getValue().strip() + "\n")
                        .collect(Collectors.joining()),
                names,
                bodyHash);
        String day = time.substring(0, 8);
        String scope = day + "/" + region + "/s3/aws4_request";
        String toSign = String.join("\n", ALGORITHM, time, scope, hex(sha256(utf8(canonical))));
        byte[] key = utf8("AWS4" + credentials.secretKey());
        for (String part : new String[] {day, region, "s3", "aws4_request"}) {
            key = hmac(key, part);
        }
        signed.remove("host");
        signed.put(
                "authorization",
                ALGORITHM + " Credential=" + credentials.accessKey() + "/" + scope + ", SignedHeaders=" + names + ", Signature="
                        + hex(hmac(key, toSign)));
        return signed;
    }

    private static String canonicalQuery(@Nullable String query) {
        if (query == null) {
            return "";
        }
        return Arrays.stream(query.split("&"))
                .map(parameter -> parameter.contains("=") ? parameter : parameter + "=")
                // By names first: '=' is not the lowest character that names have.
                .sorted(Comparator.comparing(parameter -> parameter.replace('=', '\0')))
                .collect(Collectors.joining("&"));
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(utf8(text));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HmacSHA256", e);
        }
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
