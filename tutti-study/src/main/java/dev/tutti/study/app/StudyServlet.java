package dev.tutti.study.app;

import dev.tutti.study.setup.Operation;
import dev.tutti.study.setup.VisitState;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * The application of the study. Each request does one operation, and looks its session up and changes it.
 *
 * <p>An answer with status 200 confirms the operation and the session's update. It lists all updates of the session.
 */
public final class StudyServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    /** Size of an upload at most. */
    private static final int CONTENT_BYTES_MAX = 1 << 20;

    /** Separator of the fields of an answer: session, updates. */
    public static final String SEPARATOR = " ";

    private final transient Store store;
    private final transient Visits visits;
    private final int stateBytes;

    /** @param stateBytes least size of a session's value */
    public StudyServlet(Store store, Visits visits, int stateBytes) {
        this.store = store;
        this.visits = visits;
        this.stateBytes = stateBytes;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Operation operation;
        int number;
        try {
            operation = Operation.parse(String.valueOf(request.getParameter("do")));
            number = Integer.parseInt(String.valueOf(request.getParameter("number")));
            if (number < 0 || number >= VisitState.UPDATES_MAX) {
                throw new IllegalArgumentException("number is 0 to " + (VisitState.UPDATES_MAX - 1) + ", not " + number);
            }
        } catch (IllegalArgumentException e) {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST, "do is an operation, and number an update: " + e.getMessage());
            return;
        }
        String name = String.valueOf(request.getParameter("name"));
        byte[] content = request.getInputStream().readNBytes(CONTENT_BYTES_MAX);
        String id;
        VisitState state;
        try (Store.Work work = store.begin()) {
            Visits.Visit visit = visits.open(request, work);
            byte[] found = visit.state();
            state = found == null ? VisitState.empty() : VisitState.of(found);
            perform(work, operation, name, content);
            if (operation != Operation.READ) {
                state = state.with(number);
                visit.save(state.bytes(stateBytes));
            }
            work.commit();
            id = visit.id();
        }
        response.setContentType("text/plain;charset=utf-8");
        response.getWriter().write(id + SEPARATOR + state.text());
    }

    private static void perform(Store.Work work, Operation operation, String name, byte[] content) {
        switch (operation) {
            case CREATE_USER -> work.createUser(name);
            case DELETE_USER -> work.deleteUser(name);
            case CREATE_PROJECT -> work.createProject(name, "owner");
            case UPLOAD -> work.upload(name, "project", content);
            case CHANGE, READ -> {
                // The session is all that they use.
            }
        }
    }
}
