package dev.tutti.undertow;

import dev.tutti.testing.ShopProcesses;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import shop.Shop;

/** The shop of docs/operating/undertow.md in three processes, of which one is killed under load: the others have all that clients were told. */
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
}
