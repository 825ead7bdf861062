package dev.tutti.discovery.s3;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Document that a server has answered with.
 *
 * @param keys of the objects in a page of a listing
 * @param values texts of the other elements, by their names; the last one of each
 */
record S3Answer(List<String> keys, Map<String, String> values) {

    private static final Duration SKEW_MAX = Duration.ofMinutes(5);

    private static final XMLInputFactory XML = XMLInputFactory.newDefaultFactory();

    static {
        XML.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        XML.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        XML.setProperty(XMLInputFactory.IS_COALESCING, true);
    }

    /** @throws IOException if the body is no XML */
    static S3Answer parse(byte[] body) throws IOException {
        List<String> keys = new ArrayList<>();
        Map<String, String> values = new HashMap<>();
        try {
            XMLStreamReader reader = XML.createXMLStreamReader(new ByteArrayInputStream(body));
            String name = "";
            StringBuilder text = new StringBuilder();
            while (reader.hasNext()) {
                switch (reader.next()) {
                    case XMLStreamConstants.START_ELEMENT -> {
                        name = reader.getLocalName();
                        text.setLength(0);
                    }
                    case XMLStreamConstants.CHARACTERS -> text.append(reader.getText());
                    case XMLStreamConstants.END_ELEMENT -> {
                        if (name.equals("Key")) {
                            keys.add(text.toString());
                        } else if (!name.isEmpty()) {
                            values.put(name, text.toString());
                        }
                        name = "";
                    }
                    default -> {}
                }
            }
        } catch (XMLStreamException e) {
            throw new IOException("the answer is no XML: " + String.valueOf(e.getMessage()).lines().findFirst().orElse(""), e);
        }
        return new S3Answer(keys, values);
    }

    String value(String name) {
        return values.getOrDefault(name, "");
    }

    /**
     * Returns the error of an answer with a status of 300 and more, in a sentence that says what would help.
     *
     * @param what was tried: {@code bucket shop at https://s3.example: list}
     * @param pair the keys, for people
     * @param now time of the request, by this machine's clock
     */
    static IOException failure(String what, String pair, HttpResponse<byte[]> answer, Instant now) {
        S3Answer error;
        try {
            error = parse(answer.body());
        } catch (IOException e) {
            error = new S3Answer(List.of(), Map.of());
        }
        String code = error.value("Code");
        String skew = skew(answer, now);
        String region = answer.headers().firstValue("x-amz-bucket-region").orElse(error.value("Region"));
        String text = switch (code) {
            case "RequestTimeTooSkewed" -> "the server refuses the time of the request"
                    + (skew.isEmpty() ? ": set the clock of this machine" : skew);
            case "NoSuchBucket" -> "there is no such bucket; create it, or correct discovery.s3.bucket";
            case "InvalidAccessKeyId" -> "the server does not know " + pair;
            case "SignatureDoesNotMatch" -> "the secret key does not belong to " + pair + ", or discovery.s3.region is wrong";
            case "ExpiredToken", "TokenRefreshRequired" -> "the session token of " + pair + " has expired";
            case "AccessDenied", "AllAccessDisabled" ->
                "refused for " + pair + ": " + error.value("Message") + "; it needs s3:ListBucket, s3:PutObject and s3:DeleteObject" + skew;
            case "PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException" ->
                "the bucket is in region " + (region.isEmpty() ? "(not named)" : region) + "; set discovery.s3.region";
            default ->
                "status " + answer.statusCode() + (code.isEmpty() ? "" : " " + code + ": " + error.value("Message")) + skew;
        };
        return new IOException(what + ": " + text);
    }

    /** Returns the time of the server's clock. */
    static Optional<Instant> serverTime(HttpResponse<?> answer) {
        try {
            return answer.headers().firstValue("date").map(date -> Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date)));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Returns a part of a sentence if the clocks of server and machine differ by more than five minutes. */
    static String skew(HttpResponse<?> answer, Instant now) {
        Duration ahead = Duration.between(serverTime(answer).orElse(now), now);
        if (ahead.abs().compareTo(SKEW_MAX) <= 0) {
            return "";
        }
        return "; the clock of this machine is " + ahead.abs().toSeconds() + " s " + (ahead.isNegative() ? "behind" : "ahead of")
                + " the server's: set it right";
    }
}
