package dev.tutti.jetty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.testing.ShopProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import shop.Shop;

/** The shop of docs/operating/jetty.md in three processes, of which one is killed under load: the others have all that clients were told. */
@Tag("slow")
class KillTest {

    @TempDir
    private Path directory;

    @Test
    void everyConfirmedItemIsAtTheSurvivorsAfterAKill() throws Exception {
        try (ShopProcesses shops = new ShopProcesses(Shop.class, directory)) {
            shops.killOneUnderLoad();
        }
    }

    @Test
    void thePageHasThisShop() throws IOException {
        String page = Files.readString(Path.of("../docs/operating/jetty.md"));
        String shop = Files.readString(Path.of("src/test/java/shop/Shop.java"));
        assertThat(page).contains(shop);
    }
}
