package dev.tutti.tomcat;

import static dev.tutti.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.tomcat.TomcatNode.Page;
import dev.tutti.tomcat.replication.InMemoryCluster;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.FieldModel;
import java.lang.constant.ConstantDescs;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rolling restart with an application of which a class in sessions has changed: docs/operating/tomcat.md, "Classes that change". */
class ClassVersionsTest {

    /** A class in sessions. Nodes with another version of the application load it changed. */
    static final class Cart implements Serializable {
        private static final long serialVersionUID = 1L;
        private final String item;

        Cart(String item) {
            this.item = item;
        }

        @Override
        public String toString() {
            return "Cart of " + item;
        }
    }

    private static final ClassTransform WITH_A_NOTE = ClassTransform.endHandler(
            builder -> builder.withField("note", ConstantDescs.CD_String, ClassFile.ACC_PUBLIC));
    private static final ClassTransform UNDECLARED = ClassTransform.dropping(
            element -> element instanceof FieldModel field && field.fieldName().equalsString("serialVersionUID"));

    private final InMemoryCluster cluster = InMemoryCluster.threaded();
    private final Map<String, Page> pages = new ConcurrentHashMap<>();
    private final List<TomcatNode> running = new ArrayList<>();
    private final Browser browser = new Browser();

    @TempDir
    Path directory;

    ClassVersionsTest() {
        pages.put("/set", (request, response) ->
                request.getSession().setAttribute(request.getParameter("name"), request.getParameter("value")));
        pages.put("/get", (request, response) -> response.getWriter().print(attribute(request)));
        pages.put("/put", (request, response) ->
                request.getSession().setAttribute(request.getParameter("name"), cart(request)));
        pages.put("/note", (request, response) -> response.getWriter().print(note(attribute(request)).get(attribute(request))));
        pages.put("/annotate", (request, response) -> {
            Object cart = attribute(request);
            note(cart).set(cart, request.getParameter("value"));
            request.getSession().setAttribute(request.getParameter("name"), cart);
        });
    }

    private static Object attribute(HttpServletRequest request) {
        return request.getSession().getAttribute(request.getParameter("name"));
    }

    /** Returns a cart of the version that the node's application has. */
    private static Object cart(HttpServletRequest request) throws ReflectiveOperationException {
        ClassLoader application = request.getServletContext().getClassLoader();
        Constructor<?> constructor = application.loadClass(Cart.class.getName()).getDeclaredConstructor(String.class);
        constructor.setAccessible(true);
        return constructor.newInstance(request.getParameter("value"));
    }

    private static Field note(Object cart) throws ReflectiveOperationException {
        Field note = cart.getClass().getDeclaredField("note");
        note.setAccessible(true);
        return note;
    }

    /** The class loader of an application with a changed {@link Cart}. */
    private static final class ChangedApplication extends ClassLoader {
        ChangedApplication(ClassTransform change) {
            super(ClassVersionsTest.class.getClassLoader());
            ClassFile files = ClassFile.of();
            byte[] bytes = files.transformClass(files.parse(bytesOfCart()), change);
            defineClass(Cart.class.getName(), bytes, 0, bytes.length);
        }

        private static byte[] bytesOfCart() {
            String name = Cart.class.getName();
            try (InputStream in = Cart.class.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
                return in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals(Cart.class.getName()) ? findLoadedClass(name) : super.loadClass(name, resolve);
        }
    }

    private TomcatNode start(String name, ClassTransform change) {
        TuttiManager manager = TomcatNode.patientManager(cluster.source(name));
        TomcatNode started = new TomcatNode(name, directory, manager, pages, node -> {
            node.manager.setAllowedClasses("dev.tutti.tomcat.*");
            node.context.setParentClassLoader(new ChangedApplication(change));
        });
        running.add(started);
        return started;
    }

    private static void awaitView(TomcatNode... nodes) {
        for (TomcatNode node : nodes) {
            until(
                    node.name + " sees " + nodes.length + " members",
                    () -> ((List<?>) node.manager.status().get("members")).size() == nodes.length
                            && node.manager.status().get("state-complete").equals(true));
        }
    }

    @AfterEach
    void stopAll() {
        running.forEach(TomcatNode::close);
    }

    @Test
    void objectOfAnotherSerialVersionIsNullAndKeptForNodesThatCanReadIt() {
        TomcatNode old = start("old", ClassTransform.ACCEPT_ALL);
        TomcatNode changed = start("changed", UNDECLARED.andThen(WITH_A_NOTE));
        awaitView(old, changed);
        browser.get(old, "/put?name=cart&value=tea");
        assertThat(browser.get(changed, "/get?name=cart")).isEqualTo("null");
        browser.get(changed, "/set?name=page&value=2");
        assertThat(browser.get(old, "/get?name=cart")).isEqualTo("Cart of tea");
        assertThat(browser.get(old, "/get?name=page")).isEqualTo("2");
        cluster.crash(old.name);
        TomcatNode back = start("back", ClassTransform.ACCEPT_ALL);
        awaitView(changed, back);
        assertThat(browser.get(back, "/get?name=cart")).as("after a roll-back").isEqualTo("Cart of tea");
    }

    @Test
    void objectThatCannotBeReadIsCountedAndToldWithBothSerialVersions() {
        TomcatNode old = start("old", ClassTransform.ACCEPT_ALL);
        TomcatNode changed = start("changed", UNDECLARED);
        awaitView(old, changed);
        browser.get(old, "/put?name=cart&value=tea");
        browser.get(changed, "/get?name=cart");
        browser.get(changed, "/get?name=cart");
        assertThat((Long) changed.manager.status().get("not-decoded")).isPositive();
        assertThat(((Map<?, ?>) changed.manager.status().get("reports")).keySet()).singleElement().satisfies(report ->
                assertThat(report.toString())
                        .contains("attribute 'cart'", Cart.class.getName(), "stream classdesc serialVersionUID = 1", "local class serialVersionUID"));
    }

    @Test
    void objectOfTheNewVersionReplacesTheOldOneAtNodesThatCannotReadIt() {
        TomcatNode old = start("old", ClassTransform.ACCEPT_ALL);
        TomcatNode changed = start("changed", UNDECLARED);
        awaitView(old, changed);
        browser.get(old, "/put?name=cart&value=tea");
        browser.get(changed, "/put?name=cart&value=coffee");
        assertThat(browser.get(old, "/get?name=cart")).as("not the one that was replaced").isEqualTo("null");
        browser.get(old, "/set?name=page&value=2");
        assertThat(browser.get(changed, "/get?name=cart")).isEqualTo("Cart of coffee");
    }

    @Test
    void addedFieldIsNullInOldObjectsAndIgnoredByTheOldVersionIfTheSerialVersionIsDeclared() {
        TomcatNode old = start("old", ClassTransform.ACCEPT_ALL);
        TomcatNode changed = start("changed", WITH_A_NOTE);
        awaitView(old, changed);
        browser.get(old, "/put?name=cart&value=tea");
        assertThat(browser.get(changed, "/get?name=cart")).isEqualTo("Cart of tea");
        assertThat(browser.get(changed, "/note?name=cart")).isEqualTo("null");
        browser.get(changed, "/annotate?name=cart&value=fragile");
        assertThat(browser.get(old, "/get?name=cart")).isEqualTo("Cart of tea");
        assertThat(browser.get(changed, "/note?name=cart")).isEqualTo("fragile");
        assertThat(changed.manager.status()).containsEntry("not-decoded", 0L);
        assertThat(old.manager.status()).containsEntry("not-decoded", 0L);
    }
}
