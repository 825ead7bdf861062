package dev.tutti.blocks.directory;

import dev.tutti.blocks.directory.DirectoryException.Reason;
import java.util.Arrays;
import java.util.Collections;
import java.util.Hashtable;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import javax.naming.Binding;
import javax.naming.CommunicationException;
import javax.naming.CompositeName;
import javax.naming.Context;
import javax.naming.ContextNotEmptyException;
import javax.naming.InvalidNameException;
import javax.naming.LimitExceededException;
import javax.naming.LinkLoopException;
import javax.naming.LinkRef;
import javax.naming.Name;
import javax.naming.NameAlreadyBoundException;
import javax.naming.NameClassPair;
import javax.naming.NameNotFoundException;
import javax.naming.NameParser;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.NotContextException;
import javax.naming.OperationNotSupportedException;
import javax.naming.Reference;
import javax.naming.Referenceable;
import javax.naming.ServiceUnavailableException;
import javax.naming.spi.NamingManager;
import org.jspecify.annotations.Nullable;

/**
 * A JNDI context of a {@link Directory}: names are separated by slashes, from the left. {@link NamingValues} lists the
 * types that may be bound; a {@code Referenceable} is bound as its reference.
 *
 * <p>Look-ups are local; changes are at all members when they return. Closing a context ends only its own use: the
 * directory is closed by its owner.
 *
 * <p>Not thread-safe as to its environment, thread-safe otherwise.
 */
@SuppressWarnings("BanJNDI") // It is the context itself: what it calls is this, and nothing here is deserialized.
public final class DirectoryContext implements Context {

    private static final int LINKS_MAX = 32;

    private final Directory<Object> directory;
    private final DirectoryPath base;
    private final Hashtable<Object, Object> environment;
    private volatile boolean isClosed;

    DirectoryContext(Directory<Object> directory, DirectoryPath base, Hashtable<Object, Object> environment) {
        this.directory = directory;
        this.base = base;
        this.environment = environment;
    }

    /** @param directory made with {@link NamingValues#codec} */
    public DirectoryContext(Directory<Object> directory) {
        this(directory, DirectoryPath.ROOT, new Hashtable<>());
    }

    // ------------------------------------------------------------------ names

    /** Flat names of JNDI: components of a composite name, which may hold slashes only if quoted. */
    private static final NameParser PARSER = text -> new CompositeName(text);

    private static Name parse(String name) throws NamingException {
        return PARSER.parse(name);
    }

    private DirectoryPath path(Name name) throws NamingException {
        if (isClosed) {
            throw new ServiceUnavailableException("the context was closed");
        }
        // Empty components are no names: "a//b" is "a/b", as with most providers, and "/" the context itself.
        List<String> parts = Collections.list(name.getAll()).stream()
                .filter(part -> !part.isEmpty())
                .toList();
        try {
            return base.resolve(new DirectoryPath(parts));
        } catch (IllegalArgumentException e) {
            InvalidNameException invalid = new InvalidNameException(e.getMessage());
            invalid.setRemainingName(name);
            throw invalid;
        }
    }

    private DirectoryPath ofOne(Name name) throws NamingException {
        DirectoryPath path = path(name);
        if (path.equals(base)) {
            throw new InvalidNameException("the empty name is the context itself");
        }
        return path;
    }

    /** Returns the exception that JNDI requires, with the resolved and the remaining part of the name. */
    private NamingException failure(DirectoryException e, Name name) {
        NamingException made = kind(e);
        int resolved = Math.clamp(e.resolved() - base.names().size(), 0, name.size());
        made.setResolvedName(name.getPrefix(resolved));
        made.setRemainingName(name.getSuffix(resolved));
        made.setRootCause(e);
        return made;
    }

    private static NamingException kind(DirectoryException e) {
        String message = e.getMessage();
        return switch (e.reason()) {
            case NOT_FOUND -> new NameNotFoundException(message);
            case ALREADY_BOUND -> new NameAlreadyBoundException(message);
            case NOT_A_CONTEXT -> new NotContextException(message);
            case IS_A_CONTEXT -> new OperationNotSupportedException(message);
            case NOT_EMPTY -> new ContextNotEmptyException(message);
            case FULL -> new LimitExceededException(message);
            case REFUSED, UNKNOWN -> new CommunicationException(message);
            case CLOSED -> new ServiceUnavailableException(message);
        };
    }

    private void change(Name name, Runnable action) throws NamingException {
        try {
            action.run();
        } catch (DirectoryException e) {
            throw failure(e, name);
        }
    }

    // ------------------------------------------------------------------ looking up

    @Override
    public Object lookup(Name name) throws NamingException {
        return lookup(name, LINKS_MAX);
    }

    private Object lookup(Name name, int linksMax) throws NamingException {
        Object found = lookupLink(name);
        if (!(found instanceof LinkRef link)) {
            return found;
        }
        if (linksMax == 0) {
            throw new LinkLoopException("more than " + LINKS_MAX + " links from " + name);
        }
        String target = link.getLinkName();
        if (target.startsWith("./")) {
            return new DirectoryContext(directory, path(name).parent(), environment)
                    .lookup(parse(target.substring(2)), linksMax - 1);
        }
        return new DirectoryContext(directory, DirectoryPath.ROOT, environment).lookup(parse(target), linksMax - 1);
    }

    @Override
    public Object lookupLink(Name name) throws NamingException {
        DirectoryPath path = path(name);
        Directory.Entry<Object> entry;
        try {
            entry = directory.find(path);
        } catch (DirectoryException e) {
            throw failure(e, name);
        }
        return object(entry, path, name);
    }

    private Object object(Directory.Entry<Object> entry, DirectoryPath path, Name name) throws NamingException {
        Object value = entry.value();
        if (value == null) {
            return new DirectoryContext(directory, path, new Hashtable<>(environment));
        }
        if (!(value instanceof Reference reference) || value instanceof LinkRef || !isAllowed(reference)) {
            return value;
        }
        try {
            Object made = NamingManager.getObjectInstance(reference, name, this, environment);
            return made == null ? reference : made;
        } catch (NamingException e) {
            throw e;
        } catch (Exception e) { // what a factory of the user's throws is declared so
            NamingException failed = new NamingException(
                    "the factory " + reference.getFactoryClassName() + " has failed at " + path);
            failed.setRootCause(e);
            throw failed;
        }
    }

    private boolean isAllowed(Reference reference) {
        String factory = reference.getFactoryClassName();
        return factory != null
                && reference.getFactoryClassLocation() == null
                && environment.get(DirectoryContextFactory.FACTORIES) instanceof String allowed
                && Arrays.asList(allowed.split("\\s*,\\s*")).contains(factory);
    }

    @Override
    public NamingEnumeration<NameClassPair> list(Name name) throws NamingException {
        return new Entries<>(
                entries(name).iterator(), entry -> new NameClassPair(entry.name(), className(entry.value())));
    }

    @Override
    public NamingEnumeration<Binding> listBindings(Name name) throws NamingException {
        DirectoryPath context = path(name);
        return new Entries<>(entries(name).iterator(), entry -> {
            DirectoryPath path = context.child(entry.name());
            return new Binding(
                    entry.name(), className(entry.value()), object(entry, path, new CompositeName().add(entry.name())));
        });
    }

    private List<Directory.Entry<Object>> entries(Name name) throws NamingException {
        try {
            return directory.list(path(name));
        } catch (DirectoryException e) {
            throw failure(e, name);
        }
    }

    private static String className(@Nullable Object value) {
        if (value == null) {
            return Context.class.getName();
        }
        return value instanceof Reference reference && !(value instanceof LinkRef)
                ? reference.getClassName()
                : value.getClass().getName();
    }

    // ------------------------------------------------------------------ changing

    private Object state(@Nullable Object value, Name name) throws NamingException {
        Object state = value == null ? null : NamingManager.getStateToBind(value, name, this, environment);
        Object bound = state instanceof Referenceable referenceable ? referenceable.getReference() : state;
        if (bound == null || !NamingValues.isKnown(bound)) {
            throw new OperationNotSupportedException("a " + (bound == null ? "null" : bound.getClass().getName())
                    + " can't be bound: texts, Integer, Long, Double, Boolean, byte[], javax.naming.Reference with addresses of"
                    + " text or bytes, and Referenceable can");
        }
        return bound;
    }

    @Override
    public void bind(Name name, @Nullable Object value) throws NamingException {
        DirectoryPath path = ofOne(name);
        Object bound = state(value, name);
        change(name, () -> directory.bind(path, bound));
    }

    @Override
    public void rebind(Name name, @Nullable Object value) throws NamingException {
        DirectoryPath path = ofOne(name);
        Object bound = state(value, name);
        change(name, () -> directory.rebind(path, bound));
    }

    @Override
    public void unbind(Name name) throws NamingException {
        DirectoryPath path = ofOne(name);
        change(name, () -> directory.unbind(path));
    }

    @Override
    public void rename(Name from, Name to) throws NamingException {
        DirectoryPath old = ofOne(from);
        DirectoryPath next = ofOne(to);
        try {
            directory.rename(old, next);
        } catch (DirectoryException e) {
            throw failure(e, e.reason() == Reason.ALREADY_BOUND ? to : from);
        }
    }

    @Override
    public Context createSubcontext(Name name) throws NamingException {
        DirectoryPath path = ofOne(name);
        change(name, () -> directory.createContext(path));
        return new DirectoryContext(directory, path, new Hashtable<>(environment));
    }

    @Override
    public void destroySubcontext(Name name) throws NamingException {
        DirectoryPath path = ofOne(name);
        change(name, () -> directory.destroyContext(path));
    }

    // ------------------------------------------------------------------ names as text

    @Override
    public Object lookup(String name) throws NamingException {
        return lookup(parse(name));
    }

    @Override
    public Object lookupLink(String name) throws NamingException {
        return lookupLink(parse(name));
    }

    @Override
    public void bind(String name, @Nullable Object value) throws NamingException {
        bind(parse(name), value);
    }

    @Override
    public void rebind(String name, @Nullable Object value) throws NamingException {
        rebind(parse(name), value);
    }

    @Override
    public void unbind(String name) throws NamingException {
        unbind(parse(name));
    }

    @Override
    public void rename(String from, String to) throws NamingException {
        rename(parse(from), parse(to));
    }

    @Override
    public NamingEnumeration<NameClassPair> list(String name) throws NamingException {
        return list(parse(name));
    }

    @Override
    public NamingEnumeration<Binding> listBindings(String name) throws NamingException {
        return listBindings(parse(name));
    }

    @Override
    public void destroySubcontext(String name) throws NamingException {
        destroySubcontext(parse(name));
    }

    @Override
    public Context createSubcontext(String name) throws NamingException {
        return createSubcontext(parse(name));
    }

    // ------------------------------------------------------------------ the rest of the contract

    @Override
    public NameParser getNameParser(Name name) throws NamingException {
        path(name);
        return PARSER;
    }

    @Override
    public NameParser getNameParser(String name) throws NamingException {
        return getNameParser(parse(name));
    }

    @Override
    public Name composeName(Name name, Name prefix) throws NamingException {
        Name composed = (Name) prefix.clone();
        return composed.addAll(name);
    }

    @Override
    public String composeName(String name, String prefix) throws NamingException {
        return composeName(parse(name), parse(prefix)).toString();
    }

    @Override
    public @Nullable Object addToEnvironment(String property, Object value) {
        return environment.put(property, value);
    }

    @Override
    public @Nullable Object removeFromEnvironment(String property) {
        return environment.remove(property);
    }

    /** Returns a copy. */
    @Override
    public Hashtable<?, ?> getEnvironment() {
        return new Hashtable<>(environment);
    }

    @Override
    public String getNameInNamespace() {
        return base.toString();
    }

    /** Idempotent. */
    @Override
    public void close() {
        isClosed = true;
    }

    /** An enumeration of the entries that existed when it began. */
    private record Entries<T>(Iterator<Directory.Entry<Object>> rest, Maker<T> maker) implements NamingEnumeration<T> {

        private interface Maker<T> {
            T make(Directory.Entry<Object> entry) throws NamingException;
        }

        @Override
        public T next() throws NamingException {
            return maker.make(rest.next());
        }

        @Override
        public boolean hasMore() {
            return rest.hasNext();
        }

        @Override
        public void close() {
            // There is nothing to release.
        }

        @Override
        public boolean hasMoreElements() {
            return rest.hasNext();
        }

        @Override
        public T nextElement() {
            try {
                return next();
            } catch (NamingException e) {
                NoSuchElementException unusable = new NoSuchElementException("the next one can't be made: " + e);
                unusable.initCause(e);
                throw unusable;
            }
        }
    }

    @Override
    public String toString() {
        return "context '" + base + "' of " + directory;
    }
}
