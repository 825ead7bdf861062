package dev.tutti.grid.bridges.internal.send;

import dev.tutti.grid.Measurement;
import java.util.List;
import java.util.Map;

/** A form of requests. */
public interface Form {

    /**
     * A request.
     *
     * @param left number of points that are not in it, since the server would not take them
     */
    record Encoded(byte[] body, long left) {}

    /** Returns the headers of each request. */
    Map<String, String> headers();

    /** Returns the number of points that a measurement makes; 0 if there is nothing to send. */
    int points(Measurement measurement);

    /** Returns a request. It is called for one batch after the other. */
    Encoded encode(List<Measurement> batch);

    /** Returns whether a request that was answered so may be repeated. */
    boolean isTemporary(int status);

    /** Returns the number of points that the server has not taken, by an answer that the request was well. */
    long rejected(byte[] answer);
}
