package dev.tutti.core.settings;

/** A configuration that can't be used; the message says what is wrong, where, and what would be right. */
public final class SettingException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    public SettingException(String message) {
        super(message);
    }

    public SettingException(String message, Throwable cause) {
        super(message, cause);
    }
}
