package dev.tutti.blocks.internal.serial;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.util.Currency;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Values that can't be changed in place, so that all callers may have the same object, and a request that only reads one does not change it. */
public final class Immutables {

    private Immutables() {}

    public static boolean isMutable(@Nullable Object value) {
        return value != null && !contains(value);
    }

    public static boolean contains(Object value) {
        return switch (value) {
            case String text -> true;
            case Boolean flag -> true;
            case Character character -> true;
            case Integer number -> true;
            case Long number -> true;
            case Double number -> true;
            case Float number -> true;
            case Short number -> true;
            case Byte number -> true;
            case Enum<?> constant -> true;
            case BigDecimal number -> number.getClass() == BigDecimal.class;
            case BigInteger number -> number.getClass() == BigInteger.class;
            case UUID uuid -> true;
            case URI uri -> true;
            case Locale locale -> true;
            case Currency currency -> true;
            default -> value.getClass().getPackageName().equals("java.time");
        };
    }
}
