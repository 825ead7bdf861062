package dev.tutti.internal.door;

import dev.tutti.address.AddressChoice;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import java.io.UncheckedIOException;
import java.net.InetAddress;

/** Addresses that servers listen on, as settings name them: with the keywords and patterns of {@code bind.address}. */
public final class ListenAddress {

    private ListenAddress() {}

    /**
     * Returns the address that {@code setting} names.
     *
     * @throws SettingException if nothing matches, with the interfaces that there are
     */
    public static InetAddress of(Settings settings, Setting<String> setting) {
        try {
            return AddressChoice.ofMachine().listen(settings.get(setting));
        } catch (IllegalArgumentException | UncheckedIOException e) {
            throw new SettingException(setting.name() + ": " + e.getMessage(), e);
        }
    }
}
