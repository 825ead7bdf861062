package dev.tutti.study.app;

import jakarta.servlet.http.HttpServletRequest;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Sessions in a table of the application, in the transaction of the operation that uses them. */
public final class DatabaseVisits implements Visits {

    private static final int ID_BYTES = 16;

    private final SecureRandom random = new SecureRandom();
    private final String route;

    /** @param route end of new ids, by which a sticky balancer finds the node; empty if the balancer is free */
    public DatabaseVisits(String route) {
        this.route = route;
    }

    @Override
    public Visit open(HttpServletRequest request, Store.Work work) {
        String asked = request.getRequestedSessionId();
        String known = asked == null ? "" : withoutRoute(asked);
        byte[] state = known.isEmpty() ? null : work.visit(known);
        String id = state == null ? newId() : known;
        boolean isNew = state == null;
        return new Visit() {
            @Override
            public String id() {
                return route.isEmpty() ? id : id + "." + route;
            }

            @Override
            public byte @Nullable [] state() {
                return state;
            }

            @Override
            public void save(byte[] changed) {
                work.saveVisit(id, changed, isNew);
            }
        };
    }

    private String newId() {
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static String withoutRoute(String id) {
        int dot = id.indexOf('.');
        return dot < 0 ? id : id.substring(0, dot);
    }
}
