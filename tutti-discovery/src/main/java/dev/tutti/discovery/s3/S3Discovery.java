package dev.tutti.discovery.s3;

import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.discovery.SourceDrops;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A bucket with an object for each node: its key is a prefix, the name of the cluster and the address, so that one listing tells all. The
 * object holds the name of the node, for people.
 */
public final class S3Discovery implements DiscoverySource {

    private static final String SUFFIX = ".node";

    private final Bucket bucket;
    private final String prefix;
    private final AtomicLong malformed = new AtomicLong();
    private @Nullable NodeEntry self;
    private String folder;

    S3Discovery(Bucket bucket, String prefix) {
        this.bucket = bucket;
        this.prefix = prefix;
        this.folder = prefix;
    }

    @Override
    public void start(NodeEntry self) throws IOException {
        folder = prefix + encode(self.cluster()) + "/";
        bucket.check(key(self.address()));
        this.self = self;
    }

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public void announce() throws IOException {
        NodeEntry entry = self;
        if (entry == null) {
            throw new IllegalStateException("announced before the start");
        }
        bucket.put(key(entry.address()), entry.name() + "\n");
    }

    @Override
    public List<String> addresses() throws IOException {
        List<String> addresses = new ArrayList<>();
        for (String key : bucket.list(folder)) {
            String address = address(key);
            if (address == null) {
                malformed.incrementAndGet();
            } else {
                addresses.add(address);
            }
        }
        return addresses;
    }

    @Override
    public SourceDrops drops() {
        return new SourceDrops(malformed.get(), 0);
    }

    @Override
    public void remove(String address) throws IOException {
        if (bucket.isOpen()) {
            bucket.delete(key(address));
        }
    }

    @Override
    public void close() throws IOException {
        NodeEntry entry = self;
        try (bucket) {
            if (entry != null) {
                self = null;
                bucket.delete(key(entry.address()));
            }
        }
    }

    private String key(String address) {
        return folder + encode(address) + SUFFIX;
    }

    /** Returns null if the key is nobody's: somebody else has put something there. */
    private @Nullable String address(String key) {
        if (!key.startsWith(folder) || !key.endsWith(SUFFIX)) {
            return null;
        }
        String text = key.substring(folder.length(), key.length() - SUFFIX.length());
        try {
            String address = URLDecoder.decode(text.replace('!', '%'), StandardCharsets.UTF_8);
            return key(address).equals(key) && address.contains(":") ? address : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Uses only characters that all servers take in keys: {@code 10.0.0.1!3A7800}. */
    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace('%', '!');
    }
}
