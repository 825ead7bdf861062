package dev.tutti.jcache.internal;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.util.Currency;
import java.util.Locale;
import java.util.UUID;

/** Values that nobody can change in place, so that all callers may have the same object. */
final class Immutables {

    private Immutables() {}

    static boolean contains(Object value) {
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
