package dev.tutti.campaign.sessions.webapp;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Collections;
import java.util.TreeSet;
import javax.management.JMException;
import javax.management.ObjectName;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The page of the test application: writes and reads attributes of the session, and shows the status of its manager.
 *
 * <p>Parameter {@code do} is {@code put} (sets attribute {@code name} to {@code value}), {@code fill} (sets one of as many
 * {@code bytes}), {@code slow} (reads an
 * attribute, writes back what it read with a mark behind it, and sleeps for {@code millis} at the {@code step}
 * between), {@code get}, {@code ping} or {@code status}. The first line of an answer about a session is
 * {@code session old} if it is the one that the client asked for, {@code session new} if it is another, or
 * {@code session none}; a line {@code name=value} for each attribute follows, as it was before the write.
 */
public final class ShopServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    /** Mark that a slow request appends to the value that it has read; the number in front of it stays readable. */
    private static final String MARK = "+";

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
        response.setContentType("text/plain;charset=utf-8");
        StringBuilder text = new StringBuilder();
        String action = parameter(request, "do");
        switch (action) {
            case "put" -> {
                HttpSession session = request.getSession();
                describe(session, request, text);
                session.setAttribute(parameter(request, "name"), parameter(request, "value"));
            }
            case "fill" -> request.getSession().setAttribute("filling", filling(Integer.parseInt(parameter(request, "bytes"))));
            case "slow" -> slow(request, response);
            case "get" -> describe(request.getSession(false), request, text);
            case "status" -> text.append(status(request));
            case "ping" -> text.append("pong\n");
            default -> response.sendError(HttpServletResponse.SC_BAD_REQUEST, "do=" + action);
        }
        response.getWriter().write(text.toString());
    }

    private static byte[] filling(int bytes) {
        byte[] filling = new byte[bytes];
        ThreadLocalRandom.current().nextBytes(filling);
        return filling;
    }

    private static void slow(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String step = parameter(request, "step");
        long millis = Long.parseLong(parameter(request, "millis"));
        String name = parameter(request, "name");
        sleepIf(step.equals("before-read"), millis);
        HttpSession session = request.getSession();
        String value = session.getAttribute(name) + MARK;
        sleepIf(step.equals("after-read"), millis);
        session.setAttribute(name, value);
        sleepIf(step.equals("after-set"), millis);
        if (step.equals("after-flush")) {
            response.flushBuffer();
            sleepIf(true, millis);
            session.setAttribute(name, value + MARK);
        }
    }

    private static void sleepIf(boolean isStep, long millis) {
        if (isStep) {
            try {
                Thread.sleep(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void describe(@Nullable HttpSession session, HttpServletRequest request, StringBuilder text) {
        if (session == null) {
            text.append("session none\n");
            return;
        }
        text.append(session.getId().equals(request.getRequestedSessionId()) ? "session old\n" : "session new\n");
        for (String name : new TreeSet<>(Collections.list(session.getAttributeNames()))) {
            text.append(name).append('=').append(session.getAttribute(name)).append('\n');
        }
    }

    /** Returns the status text of this application's session manager; empty if it has none. */
    private static String status(HttpServletRequest request) throws ServletException {
        try {
            var server = ManagementFactory.getPlatformMBeanServer();
            var query = new ObjectName("Catalina:type=Manager,context=" + request.getContextPath() + ",*");
            for (ObjectName manager : server.queryNames(query, null)) {
                for (var attribute : server.getMBeanInfo(manager).getAttributes()) {
                    if (attribute.getName().equals("statusText")) {
                        return String.valueOf(server.getAttribute(manager, "statusText"));
                    }
                }
            }
            return "";
        } catch (JMException e) {
            throw new ServletException(e);
        }
    }

    private static String parameter(HttpServletRequest request, String name) {
        String value = request.getParameter(name);
        return value == null ? "" : value;
    }
}
