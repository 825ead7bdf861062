package dev.tutti.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.tutti.architecture.Determinism.Offence;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DeterminismTest {

    @Test
    void holdsInCoreProtocolsAndLayers() {
        JavaClasses classes = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("dev.tutti.core", "dev.tutti.protocols", "dev.tutti.layers");
        assertThat(classes).hasSizeGreaterThan(30);
        assertThat(Determinism.violations(classes)).isEmpty();
    }

    static Stream<Class<?>> everyOffender() {
        return Arrays.stream(Offenders.class.getDeclaredClasses()).filter(type -> !type.isAnnotationPresent(Innocent.class));
    }

    @ParameterizedTest
    @MethodSource("everyOffender")
    void isBrokenBy(Class<?> offender) {
        Offence expected = offender.getAnnotation(Offends.class).value();
        assertThat(Determinism.violations(new ClassFileImporter().importClasses(offender)))
                .anyMatch(line -> line.startsWith(expected + " "));
    }

    @Test
    void isNotBrokenByValuesAndSortedIteration() {
        assertThat(Determinism.violations(new ClassFileImporter().importClasses(Offenders.Harmless.class)))
                .isEmpty();
    }

    @Test
    void hasAnOffenderOfEachKind() {
        assertThat(everyOffender().map(type -> type.getAnnotation(Offends.class).value()))
                .contains(Offence.values());
    }
}
