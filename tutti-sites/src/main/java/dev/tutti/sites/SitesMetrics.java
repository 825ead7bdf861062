package dev.tutti.sites;

import dev.tutti.core.metrics.Metric;
import dev.tutti.core.metrics.Metric.Place;
import dev.tutti.core.metrics.Metric.Unit;
import dev.tutti.core.metrics.MetricsProvider;
import java.util.ArrayList;
import java.util.List;

/** Definitions of the numbers of sites, of site groups, and of other sites as a site group sees them. */
public final class SitesMetrics implements MetricsProvider {

    private static final List<Metric> SITES = Metric.part(Place.NODE, "sites")
            .gauge("sites-up", Unit.COUNT, "Sites that are up, this one included.")
            .gauge("sites-suspected", Unit.COUNT, "Sites whose last master has gone, and another may take over.")
            .gauge("sites-away", Unit.COUNT, "Sites that have had no master for a while.")
            .gauge("view", Unit.COUNT, "Number of the list of sites.")
            .gauge("bridge-open", Unit.COUNT, "1 if this node is a master, with a bridge node that has joined the others; else 0.")
            .gauge("bridge-masters", Unit.COUNT, "Masters of all sites that are connected with this one; 0 at others than masters.")
            .counter("bridge-failures", Unit.COUNT, "Times that the bridge node could not be started.")
            .counter("bridge-malformed", Unit.MESSAGES, "Messages of other masters that could not be read.")
            .gauge("sites", Unit.COUNT, "Sites in the list that this master agrees on with the others.")
            .counter("sites-ignored", Unit.COUNT, "Announcements of masters that were ignored: of too many sites, or of no site.")
            .counter("malformed", Unit.MESSAGES, "Lists of sites that could not be read.")
            .list();

    private static final List<Metric> GROUP = Metric.part(Place.GROUP, "site-group")
            .gauge("retained", Unit.MESSAGES, "Messages that are kept for other sites.")
            .gauge("retained-bytes", Unit.BYTES, "Bytes of these, with the overhead of each.")
            .gauge("retained-bytes-max", Unit.BYTES, "The bound of these: when it is reached, sends wait, or the oldest are dropped.")
            .counter("dropped", Unit.MESSAGES, "Messages that were dropped although a site lacks them.")
            .counter("gaps", Unit.MESSAGES, "Messages of other sites that are lost to this member; listeners were told.")
            .counter("duplicates", Unit.MESSAGES, "Messages of other sites that came again, and were dropped.")
            .gauge("early", Unit.MESSAGES, "Messages of this site that wait for earlier ones of their sender, which it hands over after a partition.")
            .gauge("out-of-order", Unit.MESSAGES, "Messages of other sites that wait for earlier ones of their sender.")
            .counter("malformed", Unit.MESSAGES, "Messages of the group that could not be read.")
            .counter("too-large", Unit.MESSAGES, "Messages that were brought back and are longer than the group allows.")
            .gauge("streams", Unit.COUNT, "Streams to other sites that are open; 0 at others than the sending master.")
            .counter("streams-opened", Unit.COUNT, "Times that a stream to another site was opened.")
            .gauge("in-flight-bytes", Unit.BYTES, "Bytes that were sent to other sites and are not acknowledged.")
            .gauge("incoming-waiting-bytes", Unit.BYTES, "Bytes of other sites that this master still has to pass on to its site.")
            .gauge("incoming-unacknowledged", Unit.COUNT, "Batches of other sites that are not yet with this whole site.")
            .counter("incoming-refused", Unit.COUNT, "Streams of other sites that were refused; they are opened anew.")
            .counter("incoming-stale", Unit.COUNT, "Batches of streams that are over; their messages come again.")
            .gauge("behind", Unit.COUNT, "1 if messages of other sites are lost to this one and it is to take over another site's state; else 0.")
            .gauge("state-bytes", Unit.BYTES, "Bytes of another site's state that have come and are not installed yet.")
            .counter("states-taken", Unit.COUNT, "Times that this member has installed the state of another site.")
            .counter("states-given", Unit.COUNT, "Times that this member has sent its state to another site.")
            .counter("states-failed", Unit.COUNT, "Times that the state of another site did not come; it is asked for again.")
            .list();

    private static final List<Metric> LINK = Metric.part(Place.SITE, "site-link")
            .gauge("lag-messages", Unit.MESSAGES, "Messages that are kept for the site, and that it has not acknowledged.")
            .gauge("lag-bytes", Unit.BYTES, "Bytes of these, with the overhead of each.")
            .gauge("lag-millis", Unit.MILLISECONDS, "Time since this member has kept the oldest of these, to within half a second.")
            .gauge("open", Unit.COUNT, "1 if the stream to the site is open, 0 if it is being opened. At the sending master only.")
            .gauge("window-bytes", Unit.BYTES, "Bytes that may be under way to the site. At the sending master only.")
            .gauge("in-flight-bytes", Unit.BYTES, "Bytes that are under way to the site. At the sending master only.")
            .gauge(
                    "acknowledged-micros",
                    Unit.MICROSECONDS,
                    "Time from the sending of messages to their acknowledgement by the site, of the last ones. At the sending master only.")
            .list();

    @Override
    public List<Metric> metrics() {
        List<Metric> all = new ArrayList<>(SITES);
        all.addAll(GROUP);
        all.addAll(LINK);
        return all;
    }
}
