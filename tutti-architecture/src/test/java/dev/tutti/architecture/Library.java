package dev.tutti.architecture;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Library that Maven has put on the class path.
 *
 * @param name group and artifact, with a colon between them
 */
record Library(String name, String version) {

    /**
     * Returns the jars on the class path of this module, which depends on all others: those that products run with,
     * and those of its own tests. The project's own are left out.
     */
    static List<Path> jars() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(file -> file.getFileName().toString().endsWith(".jar"))
                .filter(file -> !file.getFileName().toString().startsWith("tutti"))
                .toList();
    }

    /**
     * Returns the libraries of jars in a local repository, read from paths such as
     * {@code io/netty/netty-common/4.2/netty-common-4.2.jar}. The repository is the deepest directory that holds all
     * of them, so their groups must not all begin with the same word.
     *
     * @throws IllegalArgumentException if a jar lies elsewhere
     */
    static List<Library> of(List<Path> jars) {
        Path repository = jars.getFirst().getParent();
        for (Path jar : jars) {
            while (!jar.startsWith(repository)) {
                repository = Objects.requireNonNull(repository.getParent(), "a root holds all files");
            }
        }
        Path root = repository;
        return jars.stream().map(jar -> of(root.relativize(jar))).toList();
    }

    private static Library of(Path jar) {
        int group = jar.getNameCount() - 3;
        if (group > 0 && jar.getFileName().toString().startsWith(jar.getName(group) + "-" + jar.getName(group + 1))) {
            String words = jar.subpath(0, group).toString().replace(File.separatorChar, '.');
            return new Library(words + ":" + jar.getName(group), jar.getName(group + 1).toString());
        }
        throw new IllegalArgumentException(jar + " is not group/artifact/version/artifact-version.jar of a repository");
    }
}
