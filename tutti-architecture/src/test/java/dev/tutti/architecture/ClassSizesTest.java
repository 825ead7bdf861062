package dev.tutti.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

@Order(1)
class ClassSizesTest {

    @Test
    void areKept() {
        assertThat(Product.CLASSES).hasSizeGreaterThan(50);
        assertThat(new ClassSizes(ClassSizes.FIELDS_MAX, ClassSizes.ARGUMENTS_MAX).violations(Product.CLASSES)).isEmpty();
    }

    @Test
    void classesBeyondTheirLimitAreFound() {
        String name = ClassSizes.class.getName();
        JavaClasses classes = new ClassFileImporter().importClasses(ClassSizes.class);
        assertThat(new ClassSizes(1, 1).violations(classes))
                .containsExactly(name + ": 2 fields, at most 1", name + ": 2 constructor arguments, at most 1");
        assertThat(new ClassSizes(2, 2).violations(classes)).isEmpty();
    }
}
