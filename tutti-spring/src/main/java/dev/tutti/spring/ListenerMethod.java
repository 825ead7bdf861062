package dev.tutti.spring;

import dev.tutti.Group;
import dev.tutti.Message;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A method with {@link TuttiListener}, and the meaning of its parameters. */
final class ListenerMethod {

    private enum Parameter {
        MESSAGE,
        TEXT,
        BYTES,
        SENDER,
        VIEW,
        GROUP
    }

    private final String bean;
    private final Method method;
    private final List<Parameter> parameters;

    /** @throws IllegalStateException if the parameters are not those of a listener */
    ListenerMethod(String bean, Method method) {
        this.bean = bean;
        this.method = method;
        List<Parameter> found = new ArrayList<>();
        for (Class<?> type : method.getParameterTypes()) {
            found.add(parameter(type));
        }
        this.parameters = List.copyOf(found);
        if (!isOfMessages() && !found.contains(Parameter.VIEW)) {
            throw unfit("has no parameter that a message or a view could be");
        }
    }

    private Parameter parameter(Class<?> type) {
        if (type == Message.class) {
            return Parameter.MESSAGE;
        } else if (type == String.class) {
            return Parameter.TEXT;
        } else if (type == byte[].class) {
            return Parameter.BYTES;
        } else if (type == Member.class) {
            return Parameter.SENDER;
        } else if (type == View.class) {
            return Parameter.VIEW;
        } else if (type == Group.class) {
            return Parameter.GROUP;
        }
        throw unfit("has a parameter of type " + type.getTypeName());
    }

    private IllegalStateException unfit(String what) {
        return new IllegalStateException("@TuttiListener: " + method + " of bean " + bean + " " + what + "; a listener of"
                + " messages takes Message, String, byte[], Member (the sender), and View and Group besides; one of views"
                + " takes View, and Group besides");
    }

    String bean() {
        return bean;
    }

    boolean isOfMessages() {
        return parameters.stream().anyMatch(each -> switch (each) {
            case MESSAGE, TEXT, BYTES, SENDER -> true;
            case VIEW, GROUP -> false;
        });
    }

    void onMessage(Object target, Group group, Message message) {
        Object[] arguments = parameters.stream()
                .map(each -> switch (each) {
                    case MESSAGE -> message;
                    case TEXT -> message.text();
                    case BYTES -> message.bytes();
                    case SENDER -> message.sender();
                    case VIEW -> message.view();
                    case GROUP -> group;
                })
                .toArray();
        invoke(method, target, arguments);
    }

    void onView(Object target, Group group, View view) {
        Object[] arguments =
                parameters.stream().map(each -> each == Parameter.GROUP ? group : view).toArray();
        invoke(method, target, arguments);
    }

    /** Calls a method, and throws what it throws; a checked exception is wrapped. */
    static void invoke(Method method, Object target, @Nullable Object... arguments) {
        try {
            method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            switch (e.getCause()) {
                case RuntimeException thrown -> throw thrown;
                case Error thrown -> throw thrown;
                case null, default -> throw new IllegalStateException(method + " has failed: " + e.getCause(), e.getCause());
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(method + " can't be called", e);
        }
    }

    @Override
    public String toString() {
        return bean + "." + method.getName();
    }
}
