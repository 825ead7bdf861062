package dev.tutti.blocks.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.Subscription;
import dev.tutti.testkit.Cluster;
import dev.tutti.testkit.ClusterTest;
import dev.tutti.testkit.Components;
import java.util.Collections;
import java.util.Hashtable;
import java.util.List;
import java.util.NoSuchElementException;
import javax.naming.Binding;
import javax.naming.CompositeName;
import javax.naming.Context;
import javax.naming.ContextNotEmptyException;
import javax.naming.InitialContext;
import javax.naming.InvalidNameException;
import javax.naming.LimitExceededException;
import javax.naming.LinkLoopException;
import javax.naming.LinkRef;
import javax.naming.Name;
import javax.naming.NameAlreadyBoundException;
import javax.naming.NameClassPair;
import javax.naming.NameNotFoundException;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.NoInitialContextException;
import javax.naming.NotContextException;
import javax.naming.OperationNotSupportedException;
import javax.naming.RefAddr;
import javax.naming.Reference;
import javax.naming.Referenceable;
import javax.naming.ServiceUnavailableException;
import javax.naming.StringRefAddr;
import javax.naming.spi.ObjectFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Behaviour of a context that users of JNDI expect. */
class DirectoryContextTest {

    /** Operations of a test on a context; JNDI throws checked exceptions. */
    private interface Scene {
        void play(Context context) throws NamingException;
    }

    private static Components<Directory<Object>> start(Cluster cluster) {
        Components<Directory<Object>> directories = cluster.startAll(node ->
                Directory.on(node.group("naming"), NamingValues.codec()).namesMax(50).join());
        cluster.awaitOneView();
        return directories;
    }

    private static Context initial(Directory<Object> directory, String factories) throws NamingException {
        Hashtable<String, Object> environment = new Hashtable<>();
        environment.put(Context.INITIAL_CONTEXT_FACTORY, DirectoryContextFactory.class.getName());
        environment.put(DirectoryContextFactory.DIRECTORY, directory);
        environment.put(DirectoryContextFactory.FACTORIES, factories);
        return new InitialContext(environment);
    }

    private static void play(Components<Directory<Object>> directories, int number, Scene scene) {
        directories.run(number, directory -> {
            try {
                scene.play(initial(directory, "other.Factory, " + Source.Factory.class.getName()));
            } catch (NamingException e) {
                throw new AssertionError(e);
            }
        });
    }

    private static void assertFails(
            Class<? extends NamingException> kind, String resolved, String remaining, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(kind).isInstanceOfSatisfying(NamingException.class, e -> {
            assertThat(e.getResolvedName()).hasToString(resolved);
            assertThat(e.getRemainingName()).hasToString(remaining);
        });
    }

    /** A resource such as an application server's. */
    private record Source(String url) implements Referenceable {

        @Override
        public Reference getReference() {
            return new Reference(Source.class.getName(), new StringRefAddr("url", url), Factory.class.getName(), null);
        }

        public static final class Factory implements ObjectFactory {

            public Factory() {}

            @Override
            public Object getObjectInstance(Object object, Name name, Context context, Hashtable<?, ?> environment) {
                RefAddr address = ((Reference) object).get("url");
                return new Source((String) address.getContent());
            }
        }
    }

    @ClusterTest(nodes = 2, seeds = 2)
    void whatOneMemberBindsAnotherLooksUp(Cluster cluster) {
        Components<Directory<Object>> directories = start(cluster);
        play(directories, 1, context -> {
            Context env = context.createSubcontext("java:comp").createSubcontext("env");
            assertThat(env.getNameInNamespace()).isEqualTo("java:comp/env");
            env.bind("text", "t");
            env.bind("int", 5);
            env.bind("long", 6L);
            env.bind("double", 0.5);
            env.bind("flag", true);
            env.bind("bytes", new byte[] {1, 2});
            env.rebind("text", "u");
        });
        cluster.awaitRest();
        play(directories, 2, context -> {
            assertThat(context.lookup("java:comp/env/text")).isEqualTo("u");
            Context env = (Context) context.lookup(new CompositeName("java:comp/env"));
            assertThat(env.lookup("int")).isEqualTo(5);
            assertThat(env.lookup("long")).isEqualTo(6L);
            assertThat(env.lookup("double")).isEqualTo(0.5);
            assertThat(env.lookup("flag")).isEqualTo(true);
            assertThat((byte[]) env.lookup("bytes")).containsExactly(1, 2);
            assertThat(((Context) env.lookup("")).lookup("text")).isEqualTo("u");
        });
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void exceptionsAreThoseOfTheContract(Cluster cluster) {
        play(start(cluster), 1, context -> {
            context.createSubcontext("a").bind("b", "value");
            assertFails(NameNotFoundException.class, "a", "x", () -> context.lookup("a/x"));
            assertFails(NameNotFoundException.class, "", "x/y", () -> context.bind("x/y", "v"));
            assertFails(NameNotFoundException.class, "", "x/y", () -> context.unbind("x/y"));
            assertFails(NameNotFoundException.class, "", "x/y", () -> context.destroySubcontext("x/y"));
            assertFails(NameNotFoundException.class, "", "x", () -> context.rename("x", "y"));
            assertFails(NameAlreadyBoundException.class, "a/b", "", () -> context.bind("a/b", "v"));
            assertFails(NameAlreadyBoundException.class, "a", "", () -> context.createSubcontext("a"));
            assertFails(NotContextException.class, "a/b", "c", () -> context.bind("a/b/c", "v"));
            assertFails(NotContextException.class, "a/b", "", () -> context.list("a/b"));
            assertFails(NotContextException.class, "a/b", "", () -> context.destroySubcontext("a/b"));
            assertFails(ContextNotEmptyException.class, "a", "", () -> context.destroySubcontext("a"));
            assertFails(OperationNotSupportedException.class, "a", "", () -> context.unbind("a"));
            assertThatThrownBy(() -> context.bind("object", new Object()))
                    .isInstanceOf(OperationNotSupportedException.class)
                    .hasMessageContaining("java.lang.Object can't be bound");
            assertThatThrownBy(() -> context.bind("nothing", null)).isInstanceOf(OperationNotSupportedException.class);
            assertThatThrownBy(() -> context.bind("", "v")).isInstanceOf(InvalidNameException.class);
            assertThatThrownBy(() -> context.lookup("x/".repeat(40) + "x")).isInstanceOf(InvalidNameException.class);
            Context deep = (Context) context.lookup("a");
            assertFails(NameNotFoundException.class, "", "x", () -> deep.lookup("x"));
            for (int index = 0; index < 48; index++) {
                context.bind("n" + index, index);
            }
            assertThatThrownBy(() -> context.bind("more", "v")).isInstanceOf(LimitExceededException.class);
        });
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void whatIsNotThereIsRemovedWithoutAWord(Cluster cluster) {
        play(start(cluster), 1, context -> {
            context.unbind("x");
            context.destroySubcontext("y");
            context.createSubcontext("a");
            context.destroySubcontext("a");
            context.bind("b", 1);
            context.unbind("b");
            assertThat(context.list("").hasMore()).isFalse();
        });
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void contextsAreEnumeratedByName(Cluster cluster) {
        play(start(cluster), 1, context -> {
            Context app = context.createSubcontext("app");
            app.bind("b", "text");
            app.createSubcontext("a").bind("deep", 1);
            app.bind("c", new Source("jdbc:x"));
            List<NameClassPair> pairs = Collections.list(context.list("app"));
            assertThat(pairs).extracting(NameClassPair::getName).containsExactly("a", "b", "c");
            assertThat(pairs)
                    .extracting(NameClassPair::getClassName)
                    .containsExactly(Context.class.getName(), "java.lang.String", Source.class.getName());
            NamingEnumeration<Binding> bindings = app.listBindings("");
            assertThat(((Context) bindings.next().getObject()).lookup("deep")).isEqualTo(1);
            app.unbind("b");
            assertThat(bindings.next().getObject()).isEqualTo("text");
            assertThat(bindings.hasMore()).isTrue();
            bindings.next();
            assertThat(bindings.hasMore()).isFalse();
            assertThatThrownBy(bindings::next).isInstanceOf(NoSuchElementException.class);
        });
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void namesAreMoved(Cluster cluster) {
        play(start(cluster), 1, context -> {
            context.createSubcontext("a").bind("b", "v");
            context.createSubcontext("c");
            context.rename("a", "c/d");
            assertThat(context.lookup("c/d/b")).isEqualTo("v");
            context.bind("e", 1);
            assertFails(NameAlreadyBoundException.class, "e", "", () -> context.rename("c", "e"));
        });
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void onlyFactoriesThatAreAllowedMakeObjects(Cluster cluster) {
        Components<Directory<Object>> directories = start(cluster);
        play(directories, 1, context -> {
            context.bind("source", new Source("jdbc:x"));
            context.bind("foreign", new Reference("Some", "evil.Factory", null));
            context.bind("far", new Reference("Some", Source.Factory.class.getName(), "http://elsewhere/"));
            assertThat(context.lookup("source")).isEqualTo(new Source("jdbc:x"));
            assertThat(context.lookup("foreign")).isInstanceOf(Reference.class);
            assertThat(context.lookup("far")).isInstanceOf(Reference.class);
        });
        directories.run(1, directory -> {
            try {
                assertThat(initial(directory, "").lookup("source")).isInstanceOf(Reference.class);
            } catch (NamingException e) {
                throw new AssertionError(e);
            }
        });
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void linksAreFollowedAndLoopsEnd(Cluster cluster) {
        play(start(cluster), 1, context -> {
            context.createSubcontext("a").bind("value", "v");
            context.bind("a/near", new LinkRef("./value"));
            context.bind("from the root", new LinkRef("a/near"));
            context.bind("loop", new LinkRef("loop"));
            assertThat(context.lookup("a/near")).isEqualTo("v");
            assertThat(context.lookup("from the root")).isEqualTo("v");
            assertThat(((LinkRef) context.lookupLink("a/near")).getLinkName()).isEqualTo("./value");
            assertThatThrownBy(() -> context.lookup("loop")).isInstanceOf(LinkLoopException.class);
        });
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void environmentIsOnesOwnAndCloseEndsTheContextAlone(Cluster cluster) {
        Components<Directory<Object>> directories = start(cluster);
        directories.run(1, directory -> {
            try {
                Context context = new DirectoryContext(directory);
                assertThat(context.addToEnvironment("k", "v")).isNull();
                Context sub = context.createSubcontext("sub");
                assertThat(context.removeFromEnvironment("k")).isEqualTo("v");
                assertThat(context.getEnvironment().isEmpty()).isTrue();
                assertThat(sub.getEnvironment().get("k")).isEqualTo("v");
                assertThat(context.composeName("x", "a/b")).isEqualTo("a/b/x");
                assertThat(context.composeName(new CompositeName("x"), new CompositeName("a"))).hasToString("a/x");
                assertThat(context.getNameParser("").parse("a/b").size()).isEqualTo(2);
                context.close();
                context.close();
                assertThatThrownBy(() -> context.lookup("sub")).isInstanceOf(ServiceUnavailableException.class);
                assertThat(sub.lookup("")).isInstanceOf(Context.class);
            } catch (NamingException e) {
                throw new AssertionError(e);
            }
        });
    }

    @ClusterTest(nodes = 1, seeds = 1)
    void publishedDirectoryIsFoundByItsUrl(Cluster cluster) {
        Components<Directory<Object>> directories = start(cluster);
        directories.run(1, directory -> {
            Hashtable<String, Object> environment = new Hashtable<>();
            environment.put(Context.INITIAL_CONTEXT_FACTORY, DirectoryContextFactory.class.getName());
            environment.put(Context.PROVIDER_URL, "tutti:names");
            try (Subscription published = DirectoryContextFactory.publish("names", directory)) {
                assertThat(published).isNotNull();
                new InitialContext(environment).bind("x", 1);
                assertThat(new InitialContext(environment).lookup("x")).isEqualTo(1);
                assertThatThrownBy(() -> DirectoryContextFactory.publish("names", directory))
                        .isInstanceOf(IllegalStateException.class);
            } catch (NamingException e) {
                throw new AssertionError(e);
            }
            assertThatThrownBy(() -> new InitialContext(environment).lookup("x"))
                    .isInstanceOf(NoInitialContextException.class)
                    .hasMessageContaining("tutti:names");
        });
    }
}
