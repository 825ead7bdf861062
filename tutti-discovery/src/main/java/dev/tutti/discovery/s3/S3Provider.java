package dev.tutti.discovery.s3;

import dev.tutti.core.discovery.DiscoveryProvider;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.discovery.http.HttpCalls;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/** Opens the bucket {@code discovery.s3.bucket}, or the one of {@code discovery.s3.list-url}. */
public final class S3Provider implements DiscoveryProvider {

    public static final Setting<String> BUCKET = Setting.text(
            "discovery.s3.bucket", "", "Bucket of S3, or of a compatible server, in which each node keeps an object with its address.");

    public static final Setting<String> REGION = Setting.text("discovery.s3.region", "us-east-1", "Region of the bucket.");

    public static final Setting<String> ENDPOINT = Setting.text(
            "discovery.s3.endpoint",
            "",
            "Server that is compatible with S3, https://minio.example:9000 for example; empty for AWS.");

    public static final Setting<Boolean> PATH_STYLE = Setting.flag(
            "discovery.s3.path-style",
            false,
            "Names the bucket in the path of URLs, as many compatible servers need it, and not in the name of the host.");

    public static final Setting<String> PREFIX =
            Setting.text("discovery.s3.prefix", "tutti/", "Beginning of the keys of all objects.");

    public static final Setting<String> ACCESS_KEY = Setting.text(
            "discovery.s3.access-key",
            "",
            "Access key, whose secret is discovery.s3.secret-key; empty for those of discovery.s3.credentials-file, or else of the variables"
                    + " AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.");

    public static final Setting<String> SECRET_KEY =
            Setting.secret("discovery.s3.secret-key", "Secret key that belongs to discovery.s3.access-key.");

    public static final Setting<String> CREDENTIALS_FILE = Setting.text(
            "discovery.s3.credentials-file",
            "",
            "File with access keys, written as ~/.aws/credentials is; read again for each request. Only its owner may read it.");

    public static final Setting<String> PROFILE =
            Setting.text("discovery.s3.profile", "default", "Profile in discovery.s3.credentials-file.");

    public static final Setting<Boolean> PUBLIC =
            Setting.flag("discovery.s3.public", false, "Sends requests without a signature: everybody may write to the bucket.");

    public static final Setting<String> LIST_URL = Setting.secret(
            "discovery.s3.list-url",
            "Pre-signed URL that lists the bucket, instead of discovery.s3.bucket and keys; together with put-url and delete-url.");

    public static final Setting<String> PUT_URL =
            Setting.secret("discovery.s3.put-url", "Pre-signed URL that puts the object of this node.");

    public static final Setting<String> DELETE_URL =
            Setting.secret("discovery.s3.delete-url", "Pre-signed URL that deletes the object of this node.");

    public static final Setting<String> CA_FILE = Setting.text(
            "discovery.s3.ca-file",
            "",
            "PEM file with the authorities of the server's certificate; empty for those that the Java platform trusts.");

    @Override
    public String kind() {
        return "s3";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(
                BUCKET,
                REGION,
                ENDPOINT,
                PATH_STYLE,
                PREFIX,
                ACCESS_KEY,
                SECRET_KEY,
                CREDENTIALS_FILE,
                PROFILE,
                PUBLIC,
                LIST_URL,
                PUT_URL,
                DELETE_URL,
                CA_FILE);
    }

    @Override
    public Optional<DiscoverySource> open(Settings settings) {
        String bucket = settings.get(BUCKET);
        boolean isPresigned = !settings.get(LIST_URL).isEmpty();
        if (!bucket.isEmpty() && isPresigned) {
            throw new SettingException(BUCKET.name() + " and " + LIST_URL.name() + " are set: a pre-signed URL has its bucket, set one");
        }
        if (isPresigned) {
            return Optional.of(source(
                    new PresignedBucket(
                            settings.get(LIST_URL),
                            settings.get(PUT_URL),
                            settings.get(DELETE_URL),
                            calls(settings),
                            Clock.systemUTC()),
                    settings));
        }
        if (bucket.isEmpty()) {
            return Optional.empty();
        }
        SignedBucket.Place place = SignedBucket.Place.of(
                bucket, settings.get(REGION), settings.get(ENDPOINT), settings.get(PATH_STYLE));
        return Optional.of(
                source(new SignedBucket(place, credentials(settings), calls(settings), Clock.systemUTC()), settings));
    }

    private static S3Discovery source(Bucket bucket, Settings settings) {
        return new S3Discovery(bucket, settings.get(PREFIX));
    }

    private static S3Credentials.Source credentials(Settings settings) {
        String accessKey = settings.get(ACCESS_KEY);
        String secretKey = settings.get(SECRET_KEY);
        String file = settings.get(CREDENTIALS_FILE);
        if (accessKey.isEmpty() != secretKey.isEmpty()) {
            throw new SettingException(
                    ACCESS_KEY.name() + " and " + SECRET_KEY.name() + " belong together: one is set and the other is not");
        }
        if (settings.get(PUBLIC)) {
            return () -> null;
        }
        if (!accessKey.isEmpty()) {
            S3Credentials pair = new S3Credentials(accessKey, secretKey, "");
            return () -> pair;
        }
        return file.isEmpty()
                ? S3Credentials.environment(System::getenv)
                : S3Credentials.file(Path.of(file), settings.get(PROFILE));
    }

    private static HttpCalls calls(Settings settings) {
        String file = settings.get(CA_FILE);
        if (file.isEmpty()) {
            return new HttpCalls();
        }
        try {
            return new HttpCalls(HttpCalls.trust(Path.of(file)));
        } catch (IOException e) {
            throw new SettingException(CA_FILE.name() + ": " + e.getMessage(), e);
        }
    }
}
