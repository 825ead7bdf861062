package dev.tutti.discovery.s3;

import java.net.URI;
import java.util.Properties;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;

/** A server of S3 on loopback, with objects in memory and with one pair of keys; it may go away and come back. */
public final class S3Server implements AutoCloseable {

    public static final String ACCESS_KEY = "AKIDEXAMPLE";
    public static final String SECRET_KEY = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

    private final TransientNio2BlobStore objects = new TransientNio2BlobStore();
    private final String authorization;
    private final String virtualHost;
    private int port;
    private S3Proxy proxy;

    /** Starts a server that checks signatures, with a bucket. */
    public S3Server(String bucket) throws Exception {
        this(bucket, "aws-v4", "");
    }

    /**
     * @param authorization {@code aws-v4} or {@code none}
     * @param virtualHost end of the host's name, before which buckets are named; empty if they are named in the path
     */
    S3Server(String bucket, String authorization, String virtualHost) throws Exception {
        this.authorization = authorization;
        this.virtualHost = virtualHost;
        objects.createContainer(bucket);
        proxy = start();
        port = proxy.getPort();
    }

    private S3Proxy start() throws Exception {
        Properties properties = new Properties();
        properties.setProperty("s3proxy.endpoint", "http://127.0.0.1:" + port);
        properties.setProperty("s3proxy.authorization", authorization);
        if (!authorization.equals("none")) {
            properties.setProperty("s3proxy.identity", ACCESS_KEY);
            properties.setProperty("s3proxy.credential", SECRET_KEY);
        }
        if (!virtualHost.isEmpty()) {
            properties.setProperty("s3proxy.virtual-host", virtualHost);
        }
        S3Proxy started = S3Proxy.Builder.fromProperties(properties).blobStore(objects).build();
        started.start();
        return started;
    }

    public void goAway() throws Exception {
        proxy.stop();
    }

    public void comeBack() throws Exception {
        proxy = start();
    }

    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + port);
    }

    @Override
    public void close() {
        try {
            goAway();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
