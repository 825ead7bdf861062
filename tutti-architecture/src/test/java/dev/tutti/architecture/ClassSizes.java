package dev.tutti.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.ArrayList;
import java.util.List;

/** Limits for the fields of a class and the arguments of a constructor; beyond them a class holds more than one thing. */
final class ClassSizes {

    static final int FIELDS_MAX = 25;
    static final int ARGUMENTS_MAX = 8;

    private final int fieldsMax;
    private final int argumentsMax;

    ClassSizes(int fieldsMax, int argumentsMax) {
        this.fieldsMax = fieldsMax;
        this.argumentsMax = argumentsMax;
    }

    List<String> violations(JavaClasses classes) {
        List<String> found = new ArrayList<>();
        for (JavaClass each : classes) {
            if (each.isRecord() || each.isEnum()) {
                // Their fields are values, and named where they are given.
                continue;
            }
            String name = each.getName();
            long fieldCount = each.getFields().stream()
                    .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC)
                            && !field.getModifiers().contains(JavaModifier.SYNTHETIC))
                    .count();
            check(found, name, "fields", fieldCount, fieldsMax);
            int longest = each.getConstructors().stream()
                    .filter(made -> !made.getModifiers().contains(JavaModifier.SYNTHETIC))
                    .mapToInt(made -> arguments(each, made))
                    .max()
                    .orElse(0);
            check(found, name, "constructor arguments", longest, argumentsMax);
        }
        return found;
    }

    /** Counts the arguments that are written: an inner class is also given what is around it. */
    private static int arguments(JavaClass owner, JavaCodeUnit constructor) {
        if (owner.isAnonymousClass() || owner.isLocalClass()) {
            return 0;
        }
        int count = constructor.getRawParameterTypes().size();
        return owner.isInnerClass() ? count - 1 : count;
    }

    private static void check(List<String> found, String name, String what, long count, int max) {
        if (count > max) {
            found.add(name + ": " + count + " " + what + ", at most " + max);
        }
    }
}
