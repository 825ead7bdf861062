package dev.tutti.undertow;

import dev.tutti.undertow.UndertowNode.Page;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Pages that set, get, modify and end. */
final class Pages {

    private Pages() {}

    static Map<String, Page> all() {
        Map<String, Page> pages = new LinkedHashMap<>();
        pages.put("/set", (request, response) -> {
            request.getSession().setAttribute(request.getParameter("name"), request.getParameter("value"));
            response.getWriter().print("set");
        });
        pages.put("/get", (request, response) -> response.getWriter().print(attribute(request)));
        pages.put("/remove", (request, response) -> request.getSession().removeAttribute(request.getParameter("name")));
        pages.put("/names", (request, response) -> {
            HttpSession session = request.getSession(false);
            response.getWriter().print(session == null ? "no session" : new TreeSet<>(Collections.list(session.getAttributeNames())));
        });
        pages.put("/add", (request, response) -> response.getWriter().print(add(request)));
        pages.put("/interval", (request, response) ->
                request.getSession().setMaxInactiveInterval(Integer.parseInt(request.getParameter("seconds"))));
        pages.put("/invalidate", (request, response) -> request.getSession().invalidate());
        pages.put("/rename", (request, response) -> {
            request.getSession().setAttribute("before", "kept");
            request.changeSessionId();
            request.getSession().setAttribute("after", "kept");
        });
        return pages;
    }

    private static Object attribute(HttpServletRequest request) {
        HttpSession session = request.getSession(false);
        return session == null ? "no session" : session.getAttribute(request.getParameter("name"));
    }

    /** Adds to a list in the session, without setting it again. */
    private static int add(HttpServletRequest request) {
        HttpSession session = request.getSession();
        @SuppressWarnings("unchecked")
        List<String> cart = (List<String>) session.getAttribute("cart");
        if (cart == null) {
            cart = new ArrayList<>();
            session.setAttribute("cart", cart);
        }
        synchronized (cart) {
            cart.add(request.getParameter("item"));
            return cart.size();
        }
    }
}
