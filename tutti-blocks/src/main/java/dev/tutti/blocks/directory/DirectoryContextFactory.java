package dev.tutti.blocks.directory;

import dev.tutti.Subscription;
import dev.tutti.blocks.internal.argument.Arguments;
import java.util.Hashtable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.naming.ConfigurationException;
import javax.naming.Context;
import javax.naming.NamingException;
import javax.naming.NoInitialContextException;
import javax.naming.spi.InitialContextFactory;
import org.jspecify.annotations.Nullable;

/**
 * Creates {@link DirectoryContext}s for {@code new InitialContext(environment)}: {@link
 * Context#INITIAL_CONTEXT_FACTORY} is the name of this class, and the directory is either itself in the environment
 * under {@link #DIRECTORY}, or published in this process under a name, with {@link Context#PROVIDER_URL} {@code
 * tutti:name}.
 *
 * <p>Thread-safe.
 */
public final class DirectoryContextFactory implements InitialContextFactory {

    /** Environment property for the {@link Directory} itself. */
    public static final String DIRECTORY = "dev.tutti.directory";

    /**
     * Environment property for the names of the object factories' classes to which references are passed, separated by
     * commas. A reference with any other factory is returned as it is: bindings of members make no code run.
     */
    public static final String FACTORIES = "dev.tutti.directory.factories";

    private static final String SCHEME = "tutti:";

    private static final Map<String, Directory<Object>> PUBLISHED = new ConcurrentHashMap<>();

    /** Public, because a service provider has to be. */
    public DirectoryContextFactory() {}

    /**
     * Publishes a directory in this process as {@code tutti:name}.
     *
     * @return ends the publication when closed
     * @throws IllegalStateException if there is one of this name
     */
    public static Subscription publish(String name, Directory<Object> directory) {
        Arguments.required(name, "publish: the name");
        Arguments.required(directory, "publish: the directory");
        if (PUBLISHED.putIfAbsent(name, directory) != null) {
            throw new IllegalStateException("there is a directory " + SCHEME + name + " in this process already");
        }
        return () -> PUBLISHED.remove(name, directory);
    }

    @Override
    public Context getInitialContext(@Nullable Hashtable<?, ?> environment) throws NamingException {
        Hashtable<Object, Object> own = new Hashtable<>();
        if (environment != null) {
            own.putAll(environment);
        }
        return new DirectoryContext(directory(own), DirectoryPath.ROOT, own);
    }

    @SuppressWarnings("unchecked") // what is bound is checked when it is bound, and what is looked up is an Object
    private static Directory<Object> directory(Hashtable<Object, Object> environment) throws NamingException {
        Object given = environment.get(DIRECTORY);
        if (given instanceof Directory<?> directory) {
            return (Directory<Object>) directory;
        }
        if (given != null) {
            throw new ConfigurationException(DIRECTORY + " is a " + given.getClass().getName() + ", not a "
                    + Directory.class.getName());
        }
        Object url = environment.get(Context.PROVIDER_URL);
        if (!(url instanceof String text) || !text.startsWith(SCHEME)) {
            throw new NoInitialContextException("neither " + DIRECTORY + " nor a " + Context.PROVIDER_URL + " like " + SCHEME
                    + "name says which directory it is to be; the URL is " + url);
        }
        Directory<Object> published = PUBLISHED.get(text.substring(SCHEME.length()));
        if (published == null) {
            throw new NoInitialContextException("no directory was published as " + text + " in this process, only "
                    + PUBLISHED.keySet().stream().sorted().toList());
        }
        return published;
    }
}
