package dev.tutti.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClassSizesTest {

    /** Classes over the limit until they are cut at a seam, with the number that each has: it may only become less. */
    private static final Map<String, Integer> FIELDS = Map.ofEntries(

    private static final Map<String, Integer> ARGUMENTS = Map.of();

    @Test
    void areKept() {
        JavaClasses classes = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("dev.tutti");
        assertThat(classes).hasSizeGreaterThan(50);
        assertThat(new ClassSizes(FIELDS, ARGUMENTS).violations(classes)).isEmpty();
    }

    @Test
    void classesBeyondTheirLimitAreFound() {
        String name = ClassSizes.class.getName();
        JavaClasses classes = new ClassFileImporter().importClasses(ClassSizes.class);
        assertThat(new ClassSizes(Map.of(name, 1), Map.of(name, 1)).violations(classes))
                .containsExactly(name + ": 2 fields, at most 1", name + ": 2 constructor arguments, at most 1");
        assertThat(new ClassSizes(Map.of(name, 2), Map.of(name, 2)).violations(classes)).isEmpty();
    }
}
